/** The capabilities that a legacy server reads in `initialize`: the client's, and what the router can do. */
import { isObject, own, type JsonObject, type JsonValue } from "../../domain/json.ts";
import { editsFor, type RouterCapabilities } from "../../domain/servers/offer.ts";
import type { SamplingMode } from "../../domain/servers/server.ts";
import { withMember } from "../../mcp/json-text/raw-json.ts";

export interface Advertised {
  text: string;
  capabilities: JsonObject;
}

const firstWithTools = "2025-11-25";
const capabilities = ["params", "capabilities"] as const;

const capabilitiesIn = (text: string): JsonObject => {
  const found = own(own(JSON.parse(text) as JsonValue, "params"), "capabilities");
  return isObject(found) ? found : {};
};

/** Advertised to any server of the revision, for a stream without a known session. */
export const advertisedByRevision = (revision: string): JsonObject => ({
  sampling: revision >= firstWithTools ? { tools: {} } : {},
});

/** @param form `bare`: only `sampling: {}` is added, for servers that refuse more */
export function advertise(
  text: string,
  options: {
    mode: SamplingMode;
    revision: string;
    routerCapabilities: RouterCapabilities;
    modalities: "advertised" | "hidden";
    form: "rich" | "bare";
  },
): Advertised {
  const { mode, revision, routerCapabilities, form } = options;
  const isRich = form === "rich";
  const edits = editsFor(capabilitiesIn(text), {
    mode,
    routerCapabilities: routerCapabilities && {
      ...routerCapabilities,
      tools: routerCapabilities.tools && isRich && revision >= firstWithTools,
    },
    modalities: isRich ? options.modalities : "hidden",
    tasks: "hidden",
  });
  let changed = text;
  for (const { path, value } of edits)
    changed = withMember(
      changed,
      [...capabilities, ...path],
      value === undefined ? null : JSON.stringify(value),
    );
  return { text: changed, capabilities: capabilitiesIn(changed) };
}
