import { isObject } from "../domain/json.ts";

type Capabilities = Readonly<Record<string, unknown>>;

const partsOf = (value: unknown): string[] =>
  isObject(value)
    ? Object.entries(value).flatMap(([part, flag]) =>
        Array.isArray(flag) ? flag.map(String) : flag === false ? [] : [part],
      )
    : [];

const worded = (name: string, parts: readonly string[]): string =>
  parts.length === 0 ? name : `${name} (${parts.join(", ")})`;

/** For example `sampling (tools, image), elicitation`, or `nothing`. */
export function capabilityText(capabilities: Capabilities): string {
  const texts = Object.entries(capabilities).map(([name, value]) => worded(name, partsOf(value)));
  return texts.length === 0 ? "nothing" : texts.join(", ");
}

export function countedCapabilities(session: {
  capabilities: Capabilities;
  effective: Capabilities;
  modalities: readonly string[];
}) {
  const countsAs = (name: string): string => {
    if (!Object.hasOwn(session.effective, name)) return "nothing";
    const parts = partsOf(session.effective[name]);
    if (name === "sampling") {
      // Only modalities are listed.
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
