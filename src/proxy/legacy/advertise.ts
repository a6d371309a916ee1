/**
 * `initialize` on its way to a legacy server. Its capabilities gain what the router can do, by
 * `domain/servers/offer.ts`. Nothing else changes.
 */
import { isObject, own, type JsonObject, type JsonValue } from "../../domain/json.ts";
import { editsFor, type RouterCapabilities } from "../../domain/servers/offer.ts";
import type { SamplingMode } from "../../domain/servers/server.ts";
import { withMember } from "../../mcp/json-text/raw-json.ts";

export interface Advertised {
  text: string;
  /** raw, as the server reads the capabilities */
  capabilities: JsonObject;
}

const firstWithTools = "2025-11-25";
const capabilities = ["params", "capabilities"] as const;

const capabilitiesIn = (text: string): JsonObject => {
  const found = own(own(JSON.parse(text) as JsonValue, "params"), "capabilities");
  return isObject(found) ? found : {};
};

/** The capabilities that the router advertises to any server of that revision. The session's own are unknown here. */
export const advertisedByRevision = (revision: string): JsonObject => ({
  sampling: revision >= firstWithTools ? { tools: {} } : {},
});

/**
 * @param form `bare`: no more than `sampling: {}` is added, since the server refused it
 */
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
  const changed = editsFor(capabilitiesIn(text), {
    mode,
    routerCapabilities:
      routerCapabilities === null
        ? null
        : {
            ...routerCapabilities,
            tools: routerCapabilities.tools && isRich && revision >= firstWithTools,
          },
    modalities: isRich ? options.modalities : "hidden",
  }).reduce(
    (before, { path, value }) =>
      withMember(
        before,
        [...capabilities, ...path],
        value === undefined ? null : JSON.stringify(value),
      ),
    text,
  );
  return { text: changed, capabilities: capabilitiesIn(changed) };
}
