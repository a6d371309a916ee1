/** What no provider is sent, whichever API it speaks: what can't be settled, and what costs more than the catalogue knows. */
import { own, type JsonObject, type JsonValue } from "../../domain/json.ts";
import type { Refusal } from "../../domain/refusals.ts";
import type { Result } from "../../domain/result.ts";
import { refuseMember } from "./decoded.ts";

const unsettled = "A call whose work goes on elsewhere can't be charged.";
const unpriced = "It changes the price, and the tenant's policy names no price for it.";

interface Row {
  name: string;
  /** whether a value of the member asks for nothing */
  usual: (value: JsonValue) => boolean;
  detail: string;
}

const isUsualTier = (value: JsonValue): boolean =>
  value === "auto" || value === "default" || value === "standard_only";
const isEmptyList = (value: JsonValue): boolean => Array.isArray(value) && value.length === 0;

const rows: readonly Row[] = [
  { name: "background", usual: (value) => value === false, detail: unsettled },
  { name: "fallbacks", usual: isEmptyList, detail: unsettled },
  { name: "service_tier", usual: isUsualTier, detail: unpriced },
  { name: "speed", usual: (value) => value === "standard", detail: unpriced },
  { name: "inference_geo", usual: () => false, detail: unpriced },
  { name: "mcp_servers", usual: isEmptyList, detail: unpriced },
  { name: "web_search_options", usual: () => false, detail: unpriced },
];

/**
 * Tools that the client runs, by the beginning of their types; `computer` and `bash` among them, although the provider wrote
 * what they take. Every other tool is one that the provider runs, and may bill for.
 */
const clientTools =
  /^(function|custom|namespace|local_shell|apply_patch|computer|bash_|text_editor_|memory_)/;

const isRunByProvider = (tool: JsonValue): boolean => {
  const type = own(tool, "type");
  return typeof type === "string" && !clientTools.test(type);
};

/** null: nothing is refused by its name */
export function refusedMember(body: JsonObject): Result<never, Refusal> | null {
  for (const { name, usual, detail } of rows) {
    const value = body[name] ?? null;
    if (value !== null && !usual(value)) return refuseMember(name, detail);
  }
  const { tools } = body;
  const at = Array.isArray(tools) ? tools.findIndex(isRunByProvider) : -1;
  return at === -1
    ? null
    : refuseMember(
        `tools.${at}.type`,
        "The provider runs this tool, and the policy names no price.",
      );
}
