/** What the console was built to: a script, a file for each page, and the manifest that names them. */

export interface ConsoleFiles {
  /** null: there is no such file */
  read(name: string): Promise<Uint8Array<ArrayBuffer> | null>;
}
