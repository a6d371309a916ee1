export interface BuiltConsole {
  files: { name: string; contents: string | Uint8Array }[];
  /** paths in the checkout */
  inputs: string[];
}
export function buildConsole(): Promise<BuiltConsole>;
/**
 * @param folder below which the files lie as their addresses do
 * @param built absent: they are built now
 */
export function writeConsole(
  folder: string,
  built?: Promise<Pick<BuiltConsole, "files">>,
): Promise<void>;
