/** What becomes of each message on a legacy server's stream: one row for each case. */
import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/domain/json.ts";
import type { SamplingMode } from "../../../src/domain/servers/server.ts";
import { codecFor } from "../../../src/mcp/era.ts";
import { verdictOn, type Verdict } from "../../../src/proxy/legacy/interceptor.ts";

const codec = codecFor("2025-11-25");
if (codec === null) throw new Error("no codec");

const params = {
  messages: [{ role: "user", content: { type: "text", text: "hi" } }],
  maxTokens: 10,
};
const sampling = (more: object = {}, id: JsonValue = 7): JsonValue => ({
  jsonrpc: "2.0",
  id,
  method: "sampling/createMessage",
  params: { ...params, ...more },
});
const withTools = sampling({ tools: [{ name: "add", inputSchema: { type: "object" } }] });
const broken: JsonValue = { jsonrpc: "2.0", id: 7, method: "sampling/createMessage", params: {} };
const elicitation: JsonValue = {
  jsonrpc: "2.0",
  id: "e",
  method: "elicitation/create",
  params: {},
};
const cancelled: JsonValue = {
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId: 7 },
};

interface Row {
  title: string;
  message: JsonValue;
  verdict: Verdict["kind"];
  mode?: SamplingMode;
  client?: JsonObject;
  hasClient?: boolean;
}

const rows: Row[] = [
  { title: "intercepts a sampling request", message: sampling(), verdict: "intercept" },
  { title: "intercepts it by a text id", message: sampling({}, "a"), verdict: "intercept" },
  { title: "intercepts what it can't read", message: broken, verdict: "intercept" },
  { title: "intercepts it to refuse it", message: sampling(), mode: "deny", verdict: "intercept" },
  { title: "leaves it to the client", message: sampling(), mode: "client", verdict: "pass" },
  {
    title: "leaves what the client declared to the client",
    message: sampling(),
    mode: "client-then-router",
    client: { sampling: {} },
    verdict: "pass",
  },
  {
    title: "intercepts what needs more than the client declared",
    message: withTools,
    mode: "client-then-router",
    client: { sampling: {} },
    verdict: "intercept",
  },
  {
    title: "leaves tools to a client that declared them",
    message: withTools,
    mode: "client-then-router",
    client: { sampling: { tools: {} } },
    verdict: "pass",
  },
  {
    title: "leaves what it can't read to a client that samples",
    message: broken,
    mode: "client-then-router",
    client: { sampling: {} },
    verdict: "pass",
  },
  {
    title: "intercepts what it can't read for a client that doesn't sample",
    message: broken,
    mode: "client-then-router",
    verdict: "intercept",
  },
  {
    title: "drops a sampling request of the id null",
    message: sampling({}, null),
    verdict: "drop",
  },
  {
    title: "drops a sampling request whose id is an object",
    message: sampling({}, {}),
    verdict: "drop",
  },
  {
    title: "passes a sampling request without an id: it is a notification",
    message: { jsonrpc: "2.0", method: "sampling/createMessage", params },
    verdict: "pass",
  },
  { title: "cancels what the server takes back", message: cancelled, verdict: "cancel" },
  {
    title: "passes a cancellation of what is no id",
    message: {
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: JSON.parse("[".repeat(9) + "]".repeat(9)) as JsonValue },
    },
    verdict: "pass",
  },
  {
    title: "cancels behind a bridge, too",
    message: cancelled,
    hasClient: false,
    verdict: "cancel",
  },
  { title: "passes an elicitation to the client", message: elicitation, verdict: "pass" },
  {
    title: "declines an elicitation where there is no client",
    message: elicitation,
    hasClient: false,
    verdict: "decline",
  },
  {
    title: "declines a ping where there is no client",
    message: { jsonrpc: "2.0", id: 1, method: "ping" },
    hasClient: false,
    verdict: "decline",
  },
  {
    title: "passes a notification",
    message: { jsonrpc: "2.0", method: "notifications/progress", params: {} },
    hasClient: false,
    verdict: "pass",
  },
  { title: "passes a result", message: { jsonrpc: "2.0", id: 7, result: {} }, verdict: "pass" },
  {
    title: "passes an error",
    message: { jsonrpc: "2.0", id: 7, error: { code: -1, message: "no" } },
    hasClient: false,
    verdict: "pass",
  },
  { title: "passes what is no message", message: "sampling/createMessage", verdict: "pass" },
];

describe("the verdict on a legacy server's message", () => {
  it.each(rows)(
    "$title",
    ({ message, verdict, mode = "router", client = {}, hasClient = true }) => {
      const found = verdictOn(message, {
        mode,
        clientCapabilities: client,
        decodeCall: codec.decodeCall,
        hasClient,
        parks: false,
      });
      expect(found.kind).toBe(verdict);
    },
  );

  it("names the messages that are intercepted, declined and cancelled", () => {
    const rules = { mode: "router", clientCapabilities: {}, decodeCall: codec.decodeCall } as const;
    const onStream = { ...rules, hasClient: true, parks: false };
    expect(verdictOn(sampling(), onStream)).toEqual({ kind: "intercept", id: 7, params });
    expect(verdictOn(cancelled, onStream)).toEqual({ kind: "cancel", serverRequestId: 7 });
    const behindBridge = { ...rules, hasClient: false, parks: false };
    const declined = { kind: "decline", id: "e", method: "elicitation/create" };
    expect(verdictOn(elicitation, behindBridge)).toEqual(declined);
  });
});
