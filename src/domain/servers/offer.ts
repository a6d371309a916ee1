/**
 * What a server behind the proxy is told of sampling. Said as edits of what the client declared, so
 * that everything else of it stays as it came.
 */
import { supports } from "../sampling/capabilities.ts";
import { isObject, own, type JsonObject, type JsonValue } from "../json.ts";
import { modalities, type Modality } from "../modality.ts";
import type { SamplingMode } from "./server.ts";

/** What the router can do for this tenant; null: no model of the tenant can be asked. */
export type Offered = { tools: boolean; supportedModalities: readonly Modality[] } | null;

export type SamplingAbilities = {
  supportedModalities: Modality[];
  tools: boolean;
  /** always false: the router sees no other server's context */
  context: boolean;
};

/** What the tenant's models and a client's capabilities allow together, as the client is told. */
export type Hosted = SamplingAbilities & {
  /** what the tenant's models allow, whatever the client declared */
  offered: SamplingAbilities;
};

/** undefined: taken out */
export interface CapabilityEdit {
  path: readonly string[];
  value: JsonValue | undefined;
}

const tasksExtension = "io.modelcontextprotocol/tasks";

// Sampling through tasks takes paths of its own, which nobody here looks at yet.
function withoutTasks(declared: JsonObject): CapabilityEdit[] {
  const edits: CapabilityEdit[] = [];
  if (own(own(own(declared, "tasks"), "requests"), "sampling") !== undefined)
    edits.push({ path: ["tasks", "requests", "sampling"], value: undefined });
  if (own(own(declared, "extensions"), tasksExtension) !== undefined)
    edits.push({ path: ["extensions", tasksExtension], value: undefined });
  return edits;
}

function routersOwn(
  declared: JsonObject,
  offered: NonNullable<Offered>,
  tellsModalities: boolean,
): CapabilityEdit[] {
  const value: JsonObject = {
    ...(offered.tools ? { tools: {} } : {}),
    ...(tellsModalities ? { supportedModalities: [...offered.supportedModalities] } : {}),
  };
  const same = JSON.stringify(own(declared, "sampling")) === JSON.stringify(value);
  return same ? [] : [{ path: ["sampling"], value }];
}

function both(
  declared: JsonObject,
  offered: NonNullable<Offered>,
  tellsModalities: boolean,
): CapabilityEdit[] {
  const sampling = own(declared, "sampling");
  if (!isObject(sampling)) return routersOwn(declared, offered, tellsModalities);
  const edits: CapabilityEdit[] = [];
  if (offered.tools && !supports(declared, "sampling.tools"))
    edits.push({ path: ["sampling", "tools"], value: {} });
  if (own(sampling, "context") !== undefined)
    edits.push({ path: ["sampling", "context"], value: undefined });
  const theirs = own(sampling, "supportedModalities");
  const known = Array.isArray(theirs) ? theirs : ["text"];
  if (tellsModalities)
    edits.push({
      path: ["sampling", "supportedModalities"],
      value: modalities.filter(
        (modality) => known.includes(modality) || offered.supportedModalities.includes(modality),
      ),
    });
  else if (theirs !== undefined)
    edits.push({ path: ["sampling", "supportedModalities"], value: undefined });
  return edits;
}

/**
 * Never `context`: the router sees no other server's. `supportedModalities` only where the entry opts
 * in, since it stands in no schema and strict servers refuse unknown fields.
 */
export function editsFor(
  declared: JsonObject,
  about: { mode: SamplingMode; offered: Offered; modalities: "told" | "untold" },
): CapabilityEdit[] {
  const { mode, offered } = about;
  const told = about.modalities === "told";
  const removed: CapabilityEdit[] =
    own(declared, "sampling") === undefined ? [] : [{ path: ["sampling"], value: undefined }];
  switch (mode) {
    case "client":
      return [];
    case "deny":
      return [...removed, ...withoutTasks(declared)];
    case "router":
      return [
        ...(offered === null ? removed : routersOwn(declared, offered, told)),
        ...withoutTasks(declared),
      ];
    case "client-then-router":
      return [
        ...(offered === null ? [] : both(declared, offered, told)),
        ...withoutTasks(declared),
      ];
  }
}
