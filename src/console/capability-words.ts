/** Capabilities as a person reads them. */
import { isObject } from "../domain/json.ts";

type Capabilities = Readonly<Record<string, unknown>>;

/** A list, such as that of modalities, is read by what is in it. */
const partsOf = (value: unknown): string[] =>
  isObject(value)
    ? Object.entries(value).flatMap(([part, flag]) =>
        Array.isArray(flag) ? flag.map(String) : flag === false ? [] : [part],
      )
    : [];

const worded = (name: string, parts: readonly string[]): string =>
  parts.length === 0 ? name : `${name} (${parts.join(", ")})`;

/** Such as `sampling (tools, image), elicitation`. `nothing` where none is there. */
export function capabilityWords(capabilities: Capabilities): string {
  const words = Object.entries(capabilities).map(([name, value]) => worded(name, partsOf(value)));
  return words.length === 0 ? "nothing" : words.join(", ");
}

export interface CountedCapability {
  declared: string;
  /** in the revision of the session */
  counts: string;
}

/** Each capability as it was declared, and what it counts as. */
export function countedCapabilities(session: {
  capabilities: Capabilities;
  effective: Capabilities;
  modalities: readonly string[];
}): CountedCapability[] {
  const countsAs = (name: string): string => {
    if (!Object.hasOwn(session.effective, name)) return "nothing";
    const parts = partsOf(session.effective[name]);
    if (name === "sampling") {
      // Of what the list names, only modalities count.
      const { supportedModalities: _, ...flags } = session.effective[name] as Capabilities;
      return worded(name, [...partsOf(flags), ...session.modalities]);
    }
    return worded(name, name === "elicitation" && parts.length === 0 ? ["form"] : parts);
  };
  return Object.entries(session.capabilities).map(([name, value]) => ({
    declared: worded(name, partsOf(value)),
    counts: countsAs(name),
  }));
}
