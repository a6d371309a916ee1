export interface ConsoleFiles {
  read(name: string): Promise<Uint8Array<ArrayBuffer> | null>;
}
