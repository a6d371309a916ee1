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
