export interface BuiltConsole {
  files: { name: string; contents: string | Uint8Array }[];
  /** paths in the checkout */
  inputs: string[];
}
export function buildConsole(): Promise<BuiltConsole>;
/** @param folder below which the files lie as their addresses do */
export function writeConsole(folder: string): Promise<void>;
