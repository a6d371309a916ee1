/** Edits the sampling capabilities that a server sees; all other capabilities are unchanged. */
import { supportedModalities, supports } from "../sampling/capabilities.ts";
import { isObject, own, type JsonObject, type JsonValue } from "../json.ts";
import { modalities, type Modality } from "../modality.ts";
import type { SamplingMode } from "./server.ts";

export type RouterCapabilities = {
  tools: boolean;
  supportedModalities: readonly Modality[];
} | null;

export type SamplingAbilities = {
  supportedModalities: Modality[];
  tools: boolean;
  /** always false: the router has no context of other servers */
  context: boolean;
};

export type HostedCapabilities = SamplingAbilities & {
  offered: SamplingAbilities;
};

export interface CapabilityEdit {
  path: readonly string[];
  value: JsonValue | undefined;
}

const tasksExtension = "io.modelcontextprotocol/tasks";

/** The tasks extension of 2026-07-28: whether the router answers sampling requests of its tasks. */
type TasksExtension = "answered" | "hidden";

// Sampling as a task of 2025-11-25 has its own messages, which the router doesn't intercept.
function withoutTasks(declared: JsonObject, extension: TasksExtension): CapabilityEdit[] {
  const edits: CapabilityEdit[] = [];
  if (own(own(own(declared, "tasks"), "requests"), "sampling") !== undefined)
    edits.push({ path: ["tasks", "requests", "sampling"], value: undefined });
  if (extension === "hidden" && own(own(declared, "extensions"), tasksExtension) !== undefined)
    edits.push({ path: ["extensions", tasksExtension], value: undefined });
  return edits;
}

function coversAll(declared: JsonObject, routerCapabilities: RouterCapabilities): boolean {
  if (!supports(declared, "sampling")) return false;
  if (routerCapabilities === null) return true;
  const theirs = supportedModalities(declared);
  return (
    (!routerCapabilities.tools || supports(declared, "sampling.tools")) &&
    routerCapabilities.supportedModalities.every((modality) => theirs.includes(modality))
  );
}

function routersOwn(
  declared: JsonObject,
  routerCapabilities: NonNullable<RouterCapabilities>,
  tellsModalities: boolean,
): CapabilityEdit[] {
  const value: JsonObject = {
    ...(routerCapabilities.tools ? { tools: {} } : {}),
    ...(tellsModalities
      ? { supportedModalities: [...routerCapabilities.supportedModalities] }
      : {}),
  };
  const same = JSON.stringify(own(declared, "sampling")) === JSON.stringify(value);
  return same ? [] : [{ path: ["sampling"], value }];
}

function both(
  declared: JsonObject,
  routerCapabilities: NonNullable<RouterCapabilities>,
  tellsModalities: boolean,
): CapabilityEdit[] {
  const sampling = own(declared, "sampling");
  if (!isObject(sampling)) return routersOwn(declared, routerCapabilities, tellsModalities);
  const edits: CapabilityEdit[] = [];
  if (routerCapabilities.tools && !supports(declared, "sampling.tools"))
    edits.push({ path: ["sampling", "tools"], value: {} });
  if (own(sampling, "context") !== undefined)
    edits.push({ path: ["sampling", "context"], value: undefined });
  const theirs = own(sampling, "supportedModalities");
  const known = Array.isArray(theirs) ? theirs : ["text"];
  if (tellsModalities)
    edits.push({
      path: ["sampling", "supportedModalities"],
      value: modalities.filter(
        (modality) =>
          known.includes(modality) || routerCapabilities.supportedModalities.includes(modality),
      ),
    });
  else if (theirs !== undefined)
    edits.push({ path: ["sampling", "supportedModalities"], value: undefined });
  return edits;
}

/** Adds `supportedModalities` only if the entry opts in, because strict servers reject unknown members. */
export function editsFor(
  declared: JsonObject,
  options: {
    mode: SamplingMode;
    routerCapabilities: RouterCapabilities;
    modalities: "advertised" | "hidden";
    tasks: TasksExtension;
  },
): CapabilityEdit[] {
  const { mode, routerCapabilities, tasks } = options;
  const showsModalities = options.modalities === "advertised";
  const removed: CapabilityEdit[] =
    own(declared, "sampling") === undefined ? [] : [{ path: ["sampling"], value: undefined }];
  switch (mode) {
    case "client":
      return [];
    case "deny":
      return [...removed, ...withoutTasks(declared, tasks)];
    case "router":
      return [
        ...(routerCapabilities === null
          ? removed
          : routersOwn(declared, routerCapabilities, showsModalities)),
        ...withoutTasks(declared, tasks),
      ];
    case "client-then-router":
      return [
        ...(routerCapabilities === null ? [] : both(declared, routerCapabilities, showsModalities)),
        ...(coversAll(declared, routerCapabilities) ? [] : withoutTasks(declared, tasks)),
      ];
  }
}
