export interface BuiltConsole {
  files: { name: string; contents: string | Uint8Array }[];
  /** paths in the checkout */
  inputs: string[];
}
export function buildConsole(): Promise<BuiltConsole>;
/**
 * @param folder root of the files' addresses
 * @param built defaults to a new build
 */
export function writeConsole(
  folder: string,
  built?: Promise<Pick<BuiltConsole, "files">>,
): Promise<void>;
