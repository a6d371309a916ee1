export interface MessageHeaders extends Iterable<[name: string, value: string]> {
  /** case-insensitive */
  get(name: string): string | null;
  has(name: string): boolean;
  /** names in lower case */
  forEach(act: (value: string, name: string) => void): void;
}
