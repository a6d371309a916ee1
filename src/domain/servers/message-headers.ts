/** Headers of a proxied message. `Headers` are such. */
export interface MessageHeaders extends Iterable<[name: string, value: string]> {
  /** `name` in any spelling */
  get(name: string): string | null;
  has(name: string): boolean;
  /** with names in lower case and in their order */
  forEach(act: (value: string, name: string) => void): void;
}
