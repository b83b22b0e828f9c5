export declare function version(): string
export interface Settings {
  retries?: number
}
