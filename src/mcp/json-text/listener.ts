/** What `scanner.ts` reports of a JSON text, and how it is fed. */
export interface JsonListener {
  /** @returns whether the members are wanted; if not, nothing is reported before the end of this value */
  opened(kind: "object" | "array"): boolean;
  /** @param at where the bracket is, in bytes of the whole text */
  closed(at: number): void;
  /**
   * @param end behind the key's quote, in bytes of the whole text
   * @returns whether the text that follows is wanted
   */
  key(key: string, end: number): boolean;
  /** A comma between members or elements that are wanted. */
  comma?(at: number): void;
  text(text: string): void;
  /** Whether nothing more needs to be read. */
  isDone(): boolean;
}

export interface JsonScanner {
  /** @returns false once the bytes can't be JSON */
  push(bytes: Uint8Array<ArrayBuffer>): boolean;
  /** @returns false where the value is not whole */
  end(): boolean;
}
