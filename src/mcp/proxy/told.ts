/**
 * `initialize` on its way to a legacy server: its capabilities gain what the router can do, and nothing
 * else of it changes. Tasks go where the router answers: sampling would reach the client inside them.
 */
import { isObject, own, type JsonObject, type JsonValue } from "../../domain/json.ts";
import type { SamplingMode } from "../../domain/servers.ts";
import { withMember } from "./raw-json.ts";

/** What the router can do for this client and tenant. */
export interface Offer {
  tools: boolean;
  /** null: not told; strict servers reject the field */
  supportedModalities: readonly string[] | null;
}

export interface Told {
  text: string;
  /** raw, as the server reads them */
  capabilities: JsonObject;
  /** more than a bare `sampling: {}` was added */
  rich: boolean;
}

const firstWithTools = "2025-11-25";
const capabilities = ["params", "capabilities"] as const;
const tasksExtension = "io.modelcontextprotocol/tasks";

const capabilitiesIn = (text: string): JsonObject => {
  const found = own(own(JSON.parse(text) as JsonValue, "params"), "capabilities");
  return isObject(found) ? found : {};
};

/**
 * @param offer null: the router can do nothing here, so nothing is added
 * @param form `bare`: the server refused more than `sampling: {}`
 */
export function tell(
  text: string,
  about: {
    mode: SamplingMode;
    revision: string;
    offer: Offer | null;
    form: "rich" | "bare";
  },
): Told {
  const { mode, revision, offer, form } = about;
  const declared = capabilitiesIn(text);
  if (mode === "client") return { text, capabilities: declared, rich: false };
  const theirs = own(declared, "sampling");
  const added: JsonObject = {};
  if (offer !== null && form === "rich") {
    if (offer.tools && revision >= firstWithTools) added["tools"] = {};
    if (offer.supportedModalities !== null)
      added["supportedModalities"] = [...offer.supportedModalities];
  }
  const kept = mode === "client-then-router" && isObject(theirs) ? theirs : null;
  let sampling: JsonObject | null = kept === null ? null : { ...kept };
  if (mode !== "deny" && offer !== null) sampling = { ...kept, ...added };
  let changed = withMember(
    text,
    [...capabilities, "sampling"],
    sampling === null ? null : JSON.stringify(sampling),
  );
  changed = withMember(changed, [...capabilities, "tasks", "requests", "sampling"], null);
  changed = withMember(changed, [...capabilities, "extensions", tasksExtension], null);
  return {
    text: changed,
    capabilities: capabilitiesIn(changed),
    rich: mode !== "deny" && Object.keys(added).length > 0,
  };
}
