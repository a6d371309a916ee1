export interface MessageHeaders extends Iterable<[name: string, value: string]> {
  get(name: string): string | null;
  has(name: string): boolean;
  forEach(act: (value: string, name: string) => void): void;
}
