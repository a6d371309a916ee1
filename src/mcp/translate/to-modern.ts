/** Converts a legacy client's request for a modern server, and the server's messages back. */
import { isObject, own, type JsonObject, type JsonValue } from "../../domain/json.ts";
import { serverFailed, type Refusal } from "../../domain/refusals.ts";
import { roundMethods } from "../../domain/sampling/rounds.ts";
import { notTranslated } from "../../domain/servers/bridging.ts";
import type { Session } from "../../domain/tenancy/session.ts";
import { capabilityMissingCode } from "../faults.ts";
import { textAt, textsIn } from "../json-text/parts.ts";
import { messageIn } from "../message.ts";
import { withMember } from "../json-text/raw-json.ts";
import { modernRevision } from "../rev2026/codec.ts";
import { metaKey } from "../meta-key.ts";
import { implementationOf } from "./discovery.ts";
import type { TranslatedMessage } from "./translated-message.ts";
import {
  olderContent,
  olderToolAnswer,
  olderToolList,
  type WrappedOutputs,
} from "./older-shapes.ts";

/** Members of `_meta` that only the server's revision defines. */
const reserved = new Set(["logLevel", "subscriptionId"].map(metaKey));

export function modernRequest(
  request: string,
  session: Pick<Session, "capabilities" | "clientInfo"> & { logLevel: string | null },
): string {
  const entries: [string, JsonValue][] = [
    [metaKey("clientCapabilities"), session.capabilities],
    [metaKey("clientInfo"), implementationOf(session.clientInfo)],
    [metaKey("protocolVersion"), modernRevision],
    ...(session.logLevel === null
      ? []
      : [[metaKey("logLevel"), session.logLevel] satisfies [string, JsonValue]]),
  ];
  let text = request;
  for (const path of [["params"], ["params", "_meta"]])
    if (!(textAt(text, path) ?? "").startsWith("{")) text = withMember(text, path, "{}");
  for (const name of textsIn(text, ["params", "_meta"]).keys())
    if (reserved.has(name)) text = withMember(text, ["params", "_meta", name], null);
  for (const [name, value] of entries)
    text = withMember(text, ["params", "_meta", name], JSON.stringify(value));
  for (const name of ["inputResponses", "requestState", "task"])
    text = withMember(text, ["params", name], null);
  return text;
}

export interface AnsweredRequest {
  method: string;
  /** the called tool */
  tool: string | null;
  wrapped: WrappedOutputs;
  /** the client's revision */
  revision: string;
  /** why the server may not sample; null: it may */
  denied: Refusal | null;
}

function olderAnswer(message: string, result: JsonValue | undefined, of: AnsweredRequest): string {
  const text = ["resultType", "ttlMs", "cacheScope"].reduce(
    (rest, name) => withMember(rest, ["result", name], null),
    message,
  );
  if (!isObject(result)) return text;
  if (of.method === "tools/list") return olderToolList(text);
  if (of.method === "prompts/get") return olderContent(text, of.revision);
  if (of.method !== "tools/call") return text;
  const isWrapped = of.tool !== null && own(of.wrapped, of.tool) === true;
  return olderContent(olderToolAnswer(text, result, isWrapped), of.revision);
}

/** Of the capabilities that a server can require, a legacy client behind the bridge can only declare elicitation. */
const missing = (requiredCapabilities: JsonObject): Refusal => ({
  reason: "capability_missing",
  requiredCapabilities,
  ...(Object.keys(requiredCapabilities).some((name) => name !== "elicitation") && {
    detail: notTranslated("legacy"),
  }),
});

/** Throws on invalid JSON. */
export function translateFromModern(message: string, of: AnsweredRequest): TranslatedMessage {
  const value = JSON.parse(message) as JsonValue;
  const seen = messageIn(value);
  if (seen.kind === "notification")
    return ["notifications/progress", "notifications/message"].includes(seen.method)
      ? { kind: "notification", text: message }
      : { kind: "nothing" };
  if (seen.kind !== "response") return { kind: "nothing" };
  const result = own(value, "result");
  const required = own(own(own(value, "error"), "data"), "requiredCapabilities");
  if (isObject(required) && own(own(value, "error"), "code") === capabilityMissingCode)
    return {
      kind: "refused",
      refusal: (Object.hasOwn(required, "sampling") ? of.denied : null) ?? missing(required),
    };
  const resultType = own(result, "resultType") ?? "complete";
  if (resultType === "input_required")
    return roundMethods.includes(of.method) && own(result, "inputRequests") !== undefined
      ? { kind: "asks", text: message }
      : { kind: "refused", refusal: serverFailed("It asks for input where its revision doesn't.") };
  return resultType === "complete"
    ? { kind: "answer", text: olderAnswer(message, result, of) }
    : {
        kind: "refused",
        refusal: serverFailed("Its result is neither complete nor a request for input."),
      };
}
