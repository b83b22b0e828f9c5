import { BusinessError } from './BasicServicesKit';

export namespace window {
  interface WindowStage {
    loadContent(path: string, callback: (error: BusinessError) => void): void;
    getMainWindowSync(): Window;
  }
  interface Window {
    setWindowLayoutFullScreen(isLayoutFullScreen: boolean): Promise<void>;
  }
}
export namespace promptAction {
  function showToast(options: ShowToastOptions): void;
  function showDialog(options: ShowDialogOptions): Promise<ShowDialogSuccessResponse>;
}
export class LengthMetrics {
  constructor(value: number);
  static vp(value: number): LengthMetrics;
  unit: number;
  value: number;
}
type PageContext = UIContext;
export type { PageContext as UIContext };
