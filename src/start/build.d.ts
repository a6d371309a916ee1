export interface BuiltFile {
  /** its path in the folder of what was built */
  name: string;
  text: string | Uint8Array;
  /** paths in the checkout */
  inputs: string[];
}
/** @param place where the files will lie */
export function build(place?: "checkout" | "package"): Promise<BuiltFile[]>;
/** @param onBuild called when it takes a moment */
export function ensureBuilt(onBuild: () => void): Promise<string>;
/** A text that is made of the sources, made now or before; null: `make` gave none, and the next start asks again */
export function ensureText(
  name: string,
  make: () => Promise<string | null>,
): Promise<string | null>;
