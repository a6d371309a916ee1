/** The clients of model APIs that are pinned here, and installed elsewhere. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { areInstalled, folderOf } from "../../setup/pinned-packages.ts";

export const pinned = import.meta.dirname;
export const folder = folderOf("clients");
export const loader = "load.mjs";

export const areClientsInstalled = areInstalled(pinned, folder) && existsSync(join(folder, loader));

/** A client's module. Its types are not installed. */
export async function clientModule<Module>(name: string): Promise<Module> {
  const { load } = (await import(pathToFileURL(join(folder, loader)).href)) as {
    load: (name: string) => Promise<Module>;
  };
  return load(name);
}
