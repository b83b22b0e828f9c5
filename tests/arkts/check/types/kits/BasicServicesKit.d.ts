export interface BusinessError<T = void> extends Error {
  code: number;
  data: T;
}
export type Callback<T> = (data: T) => void;
export type AsyncCallback<T> = (error: BusinessError, data: T) => void;

export namespace pasteboard {
  const MIMETYPE_TEXT_PLAIN: string;
  function createData(mimeType: string, value: string | ArrayBuffer): PasteData;
  function getSystemPasteboard(): SystemPasteboard;
  interface PasteData {
    getPrimaryText(): string;
  }
  interface SystemPasteboard {
    setData(data: PasteData): Promise<void>;
    setDataSync(data: PasteData): void;
    getDataSync(): PasteData;
  }
}
