/**
 * What a server behind the proxy is told about sampling, as edits of what the client declared. Everything else
 * that the client declared stays as it came.
 */
import { supportedModalities, supports } from "../sampling/capabilities.ts";
import { isObject, own, type JsonObject, type JsonValue } from "../json.ts";
import { modalities, type Modality } from "../modality.ts";
import type { SamplingMode } from "./server.ts";

/** The sampling that the router can do for this tenant; null: no model of the tenant can be asked. */
export type RouterCapabilities = {
  tools: boolean;
  supportedModalities: readonly Modality[];
} | null;

export type SamplingAbilities = {
  supportedModalities: Modality[];
  tools: boolean;
  /** always false: the router sees no context of other servers */
  context: boolean;
};

/** The sampling that the tenant's models and the client's capabilities allow together, as the client is told. */
export type HostedCapabilities = SamplingAbilities & {
  /** what the tenant's models allow, whatever the client declared */
  offered: SamplingAbilities;
};

/** undefined: the member is taken out */
export interface CapabilityEdit {
  path: readonly string[];
  value: JsonValue | undefined;
}

const tasksExtension = "io.modelcontextprotocol/tasks";

// Sampling through tasks has messages of its own, which the router does not intercept yet.
function withoutTasks(declared: JsonObject): CapabilityEdit[] {
  const edits: CapabilityEdit[] = [];
  if (own(own(own(declared, "tasks"), "requests"), "sampling") !== undefined)
    edits.push({ path: ["tasks", "requests", "sampling"], value: undefined });
  if (own(own(declared, "extensions"), tasksExtension) !== undefined)
    edits.push({ path: ["extensions", tasksExtension], value: undefined });
  return edits;
}

/** Whether the client itself is asked for whatever is advertised, so that the router answers nothing of it. */
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

/**
 * Edits of what the client declared. Never `context`: the router sees no context of other servers.
 * `supportedModalities` only where the entry opts in, since the member stands in no schema and strict servers
 * refuse unknown ones.
 */
export function editsFor(
  declared: JsonObject,
  options: {
    mode: SamplingMode;
    routerCapabilities: RouterCapabilities;
    modalities: "advertised" | "hidden";
  },
): CapabilityEdit[] {
  const { mode, routerCapabilities } = options;
  const showsModalities = options.modalities === "advertised";
  const removed: CapabilityEdit[] =
    own(declared, "sampling") === undefined ? [] : [{ path: ["sampling"], value: undefined }];
  switch (mode) {
    case "client":
      return [];
    case "deny":
      return [...removed, ...withoutTasks(declared)];
    case "router":
      return [
        ...(routerCapabilities === null
          ? removed
          : routersOwn(declared, routerCapabilities, showsModalities)),
        ...withoutTasks(declared),
      ];
    case "client-then-router":
      return [
        ...(routerCapabilities === null ? [] : both(declared, routerCapabilities, showsModalities)),
        ...(coversAll(declared, routerCapabilities) ? [] : withoutTasks(declared)),
      ];
  }
}
