export namespace util {
  interface DecodeToStringOptions {
    stream?: boolean;
  }
  interface TextDecoderOptions {
    fatal?: boolean;
    ignoreBOM?: boolean;
  }
  class TextDecoder {
    static create(encoding?: string, options?: TextDecoderOptions): TextDecoder;
    decodeToString(input: Uint8Array, options?: DecodeToStringOptions): string;
  }
  class TextEncoder {
    static create(encoding?: string): TextEncoder;
    encodeInto(input?: string): Uint8Array;
  }
  function generateRandomUUID(entropyCache?: boolean): string;
  function format(format: string, ...args: Object[]): string;
}
