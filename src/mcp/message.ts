/** What the proxy needs to know of a body. Accepts JSON that isn't a message, which the server judges. */
import { isObject, type JsonObject, type JsonValue } from "../domain/json.ts";
import { type RequestId, isId, parsedMessages } from "./json-text/exact-ids.ts";

export type ProxiedMessage =
  | { kind: "request"; id: RequestId; method: string; params: JsonObject }
  | { kind: "notification"; method: string; params: JsonObject }
  | { kind: "response"; id: RequestId }
  | { kind: "unknown" };

export type ProxiedRequest = Extract<ProxiedMessage, { kind: "request" }>;

/** The name is cut to what a record keeps. */
export function toolIn({ method, params }: ProxiedRequest): string | null {
  const { name } = params;
  return method === "tools/call" && typeof name === "string" ? name.slice(0, 200) : null;
}

export interface ProxiedBody {
  batch: boolean;
  messages: ProxiedMessage[];
}

export function messageIn(value: JsonValue): ProxiedMessage {
  if (!isObject(value)) return { kind: "unknown" };
  const { id, method } = value;
  const params = isObject(value["params"]) ? value["params"] : {};
  if (typeof method === "string") {
    if (isId(id)) return { kind: "request", id, method, params };
    return id === undefined ? { kind: "notification", method, params } : { kind: "unknown" };
  }
  const answers = Object.hasOwn(value, "result") || Object.hasOwn(value, "error");
  return answers && isId(id) ? { kind: "response", id } : { kind: "unknown" };
}

export function bodyIn(text: string): ProxiedBody | null {
  const value = parsedMessages(text);
  if (value === undefined) return null;
  return Array.isArray(value)
    ? { batch: true, messages: value.map(messageIn) }
    : { batch: false, messages: [messageIn(value)] };
}

export const requestsIn = ({ messages }: ProxiedBody) =>
  messages.filter((message) => message.kind === "request");
