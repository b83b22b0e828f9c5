export namespace hilog {
  function debug(domain: number, tag: string, format: string, ...args: Array<string | number | boolean>): void;
  function info(domain: number, tag: string, format: string, ...args: Array<string | number | boolean>): void;
  function warn(domain: number, tag: string, format: string, ...args: Array<string | number | boolean>): void;
  function error(domain: number, tag: string, format: string, ...args: Array<string | number | boolean>): void;
}
