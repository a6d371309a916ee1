/** The interface of `scanner.ts`. */
export interface JsonListener {
  /** @returns whether the members are wanted; if not, nothing is reported before the end of this value */
  opened(kind: "object" | "array"): boolean;
  /** @param at byte offset of the bracket in the whole text */
  closed(at: number): void;
  /**
   * @param end byte offset after the key's closing quote in the whole text
   * @returns whether the text that follows is wanted
   */
  key(key: string, end: number): boolean;
  /** A comma between wanted members or elements. */
  comma?(at: number): void;
  text(text: string): void;
  /** Whether nothing more needs to be read. */
  isDone(): boolean;
}

export interface JsonScanner {
  /** @returns false if the text so far is not valid JSON */
  push(bytes: Uint8Array<ArrayBuffer>): boolean;
  /** @returns false if the value is incomplete */
  end(): boolean;
}
