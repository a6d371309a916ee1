/**
 * Raw, because the SDKs' copies drop `sampling.supportedModalities`. Sources: the specification's schemas;
 * SEP-2278.
 */
import { isObject, own, type JsonObject, type JsonValue } from "../json.ts";
import { modalities, type Modality } from "../modality.ts";

export type Capability =
  | "roots"
  | "roots.listChanged"
  | "sampling"
  | "sampling.tools"
  | "sampling.context"
  | "elicitation"
  | "elicitation.form"
  | "elicitation.url"
  | "tasks"
  | "experimental"
  | "extensions";

/** First revision of a field; others are in all revisions. */
const firstRevision = {
  elicitation: "2025-06-18",
  subCapabilities: "2025-11-25",
  tasks: "2025-11-25",
  extensions: "2026-07-28",
} as const;
export const firstWithSamplingTools: string = firstRevision.subCapabilities;
const lastWithTasks = "2025-11-25";

/** `fromEntries` defines properties; assigning `__proto__` would set a prototype. */
const without = (object: JsonObject, keys: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));

/** Below 2025-11-25, `sampling.tools` leaves a bare `sampling`. Idempotent. */
export function forVersion(capabilities: JsonObject, revision: string): JsonObject {
  const newer = (first: string): boolean => revision < first;
  return Object.fromEntries(
    Object.entries(capabilities).flatMap(([key, value]): [string, JsonValue][] => {
      switch (key) {
        case "roots":
        case "experimental":
          return isObject(value) ? [[key, value]] : [];
        case "sampling":
          if (!isObject(value)) return [];
          return [
            [
              key,
              newer(firstRevision.subCapabilities) ? without(value, ["tools", "context"]) : value,
            ],
          ];
        case "elicitation":
          if (!isObject(value) || newer(firstRevision.elicitation)) return [];
          return [
            [key, newer(firstRevision.subCapabilities) ? without(value, ["form", "url"]) : value],
          ];
        case "tasks":
          return isObject(value) && !newer(firstRevision.tasks) && revision <= lastWithTasks
            ? [[key, value]]
            : [];
        case "extensions":
          return isObject(value) && !newer(firstRevision.extensions) ? [[key, value]] : [];
        default:
          return [[key, value]];
      }
    }),
  );
}

/** A sub-capability implies its parent. */
export function supports(capabilities: JsonObject, capability: Capability): boolean {
  const [name = "", sub] = capability.split(".");
  const value = own(capabilities, name);
  if (!isObject(value)) return false;
  if (sub === undefined) return true;
  if (capability === "roots.listChanged") return own(value, "listChanged") === true;
  // A bare elicitation means form.
  if (capability === "elicitation.form" && !Object.hasOwn(value, "url"))
    return !Object.hasOwn(value, "form") || isObject(own(value, "form"));
  return isObject(own(value, sub));
}

/** SEP-2278; without a list, text. */
export function supportedModalities(capabilities: JsonObject): Modality[] {
  const declared = own(own(capabilities, "sampling"), "supportedModalities");
  if (!Array.isArray(declared)) return ["text"];
  return modalities.filter((modality) => declared.includes(modality));
}

/** Bounds, because clients write the names. */
const longestName = 60;
const maxNames = 20;

/** Capabilities for a record: names of two levels, and modalities. Omits all other client text. */
export function outlineOf(capabilities: JsonObject): JsonObject {
  const outlined = (object: JsonObject, valueOf: (name: string, value: JsonValue) => JsonValue) =>
    Object.fromEntries(
      Object.entries(object)
        .slice(0, maxNames)
        .map(([name, value]) => [name.slice(0, longestName), valueOf(name, value)]),
    );
  const flagOf = (value: JsonValue): JsonValue =>
    typeof value === "boolean" ? value : isObject(value) ? {} : null;
  return outlined(capabilities, (capability, value) =>
    isObject(value)
      ? outlined(value, (name, flag) =>
          capability === "sampling" && name === "supportedModalities" && Array.isArray(flag)
            ? modalities.filter((modality) => flag.includes(modality))
            : flagOf(flag),
        )
      : flagOf(value),
  );
}

function absent(required: JsonObject, declared: JsonValue | undefined): JsonObject | null {
  if (!isObject(declared)) return required;
  const missing = Object.entries(required).flatMap(([key, value]): [string, JsonValue][] => {
    const counterpart = own(declared, key);
    if (!isObject(value)) return counterpart === undefined ? [[key, value]] : [];
    const inner = absent(value, counterpart);
    return inner === null ? [] : [[key, inner]];
  });
  return missing.length === 0 ? null : Object.fromEntries(missing);
}

/** `experimental` and `extensions` are compared by key only. */
function absentKeys(required: JsonObject, declared: JsonValue | undefined): JsonObject | null {
  if (!isObject(declared)) return required;
  const missing = Object.entries(required).filter(([key]) => !Object.hasOwn(declared, key));
  return missing.length === 0 ? null : Object.fromEntries(missing);
}

function missingFlags(
  required: JsonObject,
  declared: JsonObject,
  name: string,
  flags: { [sub: string]: JsonValue },
): JsonObject | null {
  if (!supports(required, name as Capability)) return null;
  const unmet = Object.entries(flags).filter(([sub]) => {
    const capability = `${name}.${sub}` as Capability;
    return supports(required, capability) && !supports(declared, capability);
  });
  if (unmet.length === 0) return supports(declared, name as Capability) ? null : {};
  return Object.fromEntries(unmet);
}

function missingSampling(required: JsonObject, declared: JsonObject): JsonObject | null {
  const flags = missingFlags(required, declared, "sampling", { tools: {}, context: {} });
  const wanted = own(own(required, "sampling"), "supportedModalities");
  if (!Array.isArray(wanted)) return flags;
  // A bare `sampling` means text.
  const known = supportedModalities(declared);
  const undeclared = supportedModalities(required).filter((modality) => !known.includes(modality));
  if (undeclared.length === 0) return flags;
  return { ...flags, supportedModalities: undeclared };
}

export function missingFrom(required: JsonObject, declared: JsonObject): JsonObject | null {
  const compared: Record<string, JsonObject | null> = {
    roots: missingFlags(required, declared, "roots", { listChanged: true }),
    sampling: missingSampling(required, declared),
    elicitation: missingFlags(required, declared, "elicitation", { form: {}, url: {} }),
  };
  for (const [key, compare] of [
    ["tasks", absent],
    ["experimental", absentKeys],
    ["extensions", absentKeys],
  ] as const) {
    const wanted = own(required, key);
    compared[key] = isObject(wanted) ? compare(wanted, own(declared, key)) : null;
  }
  const missing = Object.entries(compared).flatMap(([key, value]): [string, JsonObject][] =>
    value === null ? [] : [[key, value]],
  );
  return missing.length === 0 ? null : Object.fromEntries(missing);
}

export function requiredFor(needs: {
  tools: boolean;
  outputModalities: readonly Modality[];
}): JsonObject {
  return {
    sampling: {
      ...(needs.tools ? { tools: {} } : {}),
      supportedModalities: [...needs.outputModalities],
    },
  };
}

export const everyCapability: JsonObject = {
  sampling: { tools: {}, context: {}, supportedModalities: [...modalities] },
};
