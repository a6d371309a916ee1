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

type Counted = Record<"capabilities" | "effective", Capabilities> & { modalities: string[] };

export function countedCapabilities({ capabilities, effective, modalities }: Counted) {
  const countsAs = (name: string): string => {
    if (!Object.hasOwn(effective, name)) return "nothing";
    const { supportedModalities: _, ...flags } = { ...(effective[name] as Capabilities) };
    const parts = partsOf(flags);
    if (name === "sampling") parts.push(...modalities);
    return worded(name, name === "elicitation" && parts.length === 0 ? ["form"] : parts);
  };
  return Object.entries(capabilities).map(([name, value]) => ({
    declared: worded(name, partsOf(value)),
    counts: countsAs(name),
  }));
}
