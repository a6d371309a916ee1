/** The clients of model APIs that are pinned here, and installed elsewhere. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { areInstalled, folderOf } from "../../setup/pinned-packages.ts";

export const pinned = import.meta.dirname;
export const folder = folderOf("clients");
export const loader = "load.mjs";

export const areClientsInstalled = areInstalled(pinned, folder) && existsSync(join(folder, loader));

/** Separate, since their binaries have 800 MB. */
export const pinnedAgents = join(pinned, "agents");
export const agentFolder = folderOf("agents");
export const areAgentsInstalled = areInstalled(pinnedAgents, agentFolder);

/** The binary itself: no script of the packages has run that would put it in its place. */
export function agentProgram(name: "claude" | "codex"): string {
  const platform = `${process.platform}-${process.arch}`;
  const modules = join(agentFolder, "node_modules");
  if (name === "claude") return join(modules, "@anthropic-ai", `claude-code-${platform}`, "claude");
  return join(modules, "@openai", "codex", "bin", "codex.js");
}

/** A client's module. Its types are not installed. */
export async function clientModule<Module>(name: string): Promise<Module> {
  const { load } = (await import(pathToFileURL(join(folder, loader)).href)) as {
    load: (name: string) => Promise<Module>;
  };
  return load(name);
}
