export interface BuiltFile {
  /** relative to the output folder */
  name: string;
  text: string | Uint8Array;
  /** paths in the checkout */
  inputs: string[];
}
/** @param place where the files will be */
export function build(place?: "checkout" | "package"): Promise<BuiltFile[]>;
/** @param onBuild called if building takes a moment */
export function ensureBuilt(onBuild: () => void): Promise<string>;
/** Builds or reuses a text; `null` from `make` is not cached */
export function ensureText(
  name: string,
  make: () => Promise<string | null>,
): Promise<string | null>;
