/**
 * What becomes of one message on a legacy server's stream. Decides, and does nothing: no clock, no store, no
 * network. `sampling-interceptor.ts` does what the verdict says.
 */
import { own, type JsonObject, type JsonValue } from "../../domain/json.ts";
import { answererOf } from "../../domain/servers/answering.ts";
import type { SamplingMode } from "../../domain/servers/server.ts";
import { samplingMethod } from "../../domain/sampling/rounds.ts";
import type { Codec } from "../../mcp/codec.ts";
import { isId, type RequestId } from "../../mcp/json-text/exact-ids.ts";
import { messageIn } from "../../mcp/message.ts";

export type Verdict =
  /** The client gets the message as it came. */
  | { kind: "pass" }
  /** The router answers this sampling request. */
  | { kind: "intercept"; id: RequestId; params: JsonObject }
  /** The server takes the request of that id back. If the router runs that request, the router ends it. */
  | { kind: "cancel"; serverRequestId: RequestId }
  /** The router refuses this request, for there is no client to ask. */
  | { kind: "decline"; id: RequestId; method: string }
  /** Nobody can answer this sampling request, and no client may see it. */
  | { kind: "drop" };

export interface VerdictRules {
  /** who answers this server's sampling requests */
  mode: SamplingMode;
  /** the client's own capabilities, as its revision knows them */
  clientCapabilities: JsonObject;
  decodeCall: Codec["decodeCall"];
  /** false behind a bridge: a client of the other era can't be asked anything */
  hasClient: boolean;
}

export function verdictOn(value: JsonValue, rules: VerdictRules): Verdict {
  const message = messageIn(value);
  switch (message.kind) {
    case "response":
      return { kind: "pass" };
    case "unknown":
      // Nobody can answer an id such as null. Yet some client may take null for an id, and sample.
      return { kind: own(value, "method") === samplingMethod ? "drop" : "pass" };
    case "notification": {
      const { requestId } = message.params;
      // What is no id names no request. Nested without end, it would exhaust the stack of whoever prints it.
      return message.method === "notifications/cancelled" && isId(requestId)
        ? { kind: "cancel", serverRequestId: requestId }
        : { kind: "pass" };
    }
    case "request": {
      const { id, method, params } = message;
      if (method !== samplingMethod)
        return rules.hasClient ? { kind: "pass" } : { kind: "decline", id, method };
      const answerer = answererOf(rules.mode, rules.decodeCall(params), rules.clientCapabilities);
      return answerer === "client" ? { kind: "pass" } : { kind: "intercept", id, params };
    }
  }
}
