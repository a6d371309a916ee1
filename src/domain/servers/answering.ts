import { missingFrom, requiredFor, supports } from "../sampling/capabilities.ts";
import type { JsonObject } from "../json.ts";
import type { Refusal } from "../refusals.ts";
import type { Result } from "../result.ts";
import type { SamplingCall } from "../sampling/call.ts";
import type { McpServer, SamplingMode } from "./server.ts";

export function answererOf(
  mode: SamplingMode,
  call: Result<SamplingCall, Refusal>,
  declared: JsonObject,
): "router" | "client" {
  if (mode === "client") return "client";
  if (mode !== "client-then-router") return "router";
  // A request that the router can't read may still be valid for the client.
  if (!call.ok) return supports(declared, "sampling") ? "client" : "router";
  const { tools, toolChoice, outputModalities } = call.value;
  const needs = { tools: tools.length > 0 || toolChoice !== undefined, outputModalities };
  return missingFrom(requiredFor(needs), declared) === null ? "client" : "router";
}

const acrossEras =
  'this server has the mode "client", in which clients answer sampling requests. Between 2026-07-28 and older revisions, they can\'t. Use a client of the server\'s revision, or set "sampling": "router" in the server\'s entry';

export function deniedBy({
  sampling,
  policy,
  samplingCrosses,
}: Pick<McpServer, "policy" | "sampling" | "samplingCrosses">): Refusal | null {
  if (samplingCrosses === false) return { reason: "forbidden", action: acrossEras };
  if (sampling === "deny") return { reason: "forbidden", action: "sampling by this server" };
  return policy.disabled === true
    ? { reason: "forbidden", action: "sampling by this server is switched off" }
    : null;
}
