/** A request of a wire as a call; where no call can hold it, an outline of it, and what only the wire itself carries. */
import { autoModel } from "../../domain/choice/named-models.ts";
import type { EndpointPolicy } from "../../domain/choice/policy.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { ModelEndpointName } from "../../domain/model-endpoint.ts";
import type { Refusal } from "../../domain/refusals.ts";
import type { SamplingCall } from "../../domain/sampling/call.ts";
import { ok, type Result } from "../../domain/result.ts";
import { defaultMaxTokens, refuseMember, type Decoded } from "./decoded.ts";
import { decodeCount } from "./messages-request.ts";
import { refusedMember, surchargesOf } from "./refused-members.ts";
import { outlineOf, passingNeedsOf } from "./outline.ts";

const limits = ["max_tokens", "max_completion_tokens", "max_output_tokens"];
const essential: ReadonlySet<string> = new Set(["model", "stream", ...limits]);

/** Segments of a path that are the wire's own words, so that no text of the caller's gets into a record. */
const knownSegments = 3;
const memberNamed = (path: string): string =>
  path
    .split(".")
    .filter((segment, at) => at < knownSegments || (at === knownSegments && /^\d+$/.test(segment)))
    .join(".");

const isCount = (value: unknown): value is number => Number.isInteger(value) && Number(value) > 0;

function misshapen(body: JsonObject): Result<never, Refusal> | null {
  const { model } = body;
  if (typeof model !== "string" || model === "" || model.length > 200)
    return refuseMember("model", "Expected the name of a model.");
  const wrong = [...limits, "n"].find(
    (name) => (body[name] ?? null) !== null && !isCount(body[name]),
  );
  return wrong === undefined ? null : refuseMember(wrong, "Expected a positive integer.");
}

const limitIn = (body: JsonObject): number => {
  const set = limits.map((name) => body[name]).filter(isCount);
  return set.length === 0 ? defaultMaxTokens : Math.min(...set);
};

export function countedRequest(body: JsonObject): Result<SamplingCall, Refusal> {
  const refused = misshapen(body);
  if (refused !== null) return refused;
  const decoded = decodeCount(body);
  if (decoded.ok) return ok({ ...decoded.value, endpoint: "messages" });
  const { model } = body;
  return ok({
    ...outlineOf(body),
    endpoint: "messages",
    passing: { losses: ["messages"] },
    ...(typeof model === "string" && model !== autoModel && { model }),
    maxTokens: 1,
    stopSequences: [],
  });
}

export function decodedRequest(
  {
    name,
    decode,
  }: { name: ModelEndpointName; decode: (body: JsonObject) => Result<Decoded, Refusal> },
  body: JsonObject,
  policy: EndpointPolicy = {},
): Result<Decoded, Refusal> {
  const refused = misshapen(body) ?? refusedMember(name, body, policy);
  if (refused !== null) return refused;
  const surcharges = surchargesOf(body, policy);
  const decoded = decode(body);
  if (decoded.ok) {
    const { call } = decoded.value;
    const passing = passingNeedsOf(body, [], surcharges);
    return ok({
      ...decoded.value,
      call: { ...call, endpoint: name, ...(passing !== null && { passing }) },
    });
  }
  const { error } = decoded;
  if (error.reason !== "invalid_params" || essential.has(error.path)) return decoded;
  const { model } = body;
  const losses = [memberNamed(error.path)];
  return ok({
    call: {
      ...outlineOf(body),
      endpoint: name,
      passing: passingNeedsOf(body, losses, surcharges) ?? { losses },
      ...(typeof model === "string" && model !== autoModel && { model }),
      maxTokens: limitIn(body),
      stopSequences: [],
    },
    ignored: [],
    ...(body["stream"] === true && { stream: {} }),
  });
}
