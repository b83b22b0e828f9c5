export namespace preferences {
  type ValueType = number | string | boolean | Array<number> | Array<string> | Array<boolean> | Uint8Array | Object | bigint;
  interface Options {
    name: string;
  }
  interface Preferences {
    getSync(key: string, defaultValue: ValueType): ValueType;
    putSync(key: string, value: ValueType): void;
    hasSync(key: string): boolean;
    deleteSync(key: string): void;
    flush(): Promise<void>;
  }
  function getPreferencesSync(context: Context, options: Options): Preferences;
  function getPreferences(context: Context, options: Options): Promise<Preferences>;
}
