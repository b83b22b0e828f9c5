// What the README's snippets use of ArkTS's own globals.
declare interface Console {
  info(message: string): void
  error(message: string): void
}
declare const console: Console
