/** What a legacy server gets when a session with it fails to begin, and when a call in one is cancelled. */
import { expect, it } from "vitest";
import type { Refusal } from "../../../src/domain/refusals.ts";
import { err, ok, type Result } from "../../../src/domain/result.ts";
import type { Session } from "../../../src/domain/tenancy/session.ts";
import type { ModernMeta } from "../../../src/mcp/rev2026/codec.ts";
import type { Sending } from "../../../src/pipeline/servers/upstream.ts";
import { beginLegacySession, cancelInSession } from "../../../src/proxy/bridge/legacy-session.ts";
import type { BridgeServices } from "../../../src/proxy/bridge/services.ts";
import { exchange, session } from "./exchange.fixture.ts";

const unavailable: Refusal = { reason: "unavailable", retryAfterMs: 1_000 };
const clientInfo = { name: "c", version: "1" };
const meta: ModernMeta = { revision: "2026-07-28", capabilities: {}, clientInfo };
const initialized = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: {} };

function given(about: { stored?: Result<Session, Refusal>; notified?: Result<Response, Refusal> }) {
  const { stored = ok(session()), notified = ok(new Response(null, { status: 202 })) } = about;
  const heard: string[] = [];
  const limits: number[] = [];
  const ended: string[] = [];
  const hear = ({
    method,
    headers,
    body,
  }: Pick<Sending, "body" | "method" | "headers">): string => {
    const text = typeof body === "string" ? body : new TextDecoder().decode(body ?? undefined);
    const { method: named = "" } = text === "" ? {} : (JSON.parse(text) as { method?: string });
    heard.push(`${method} ${named} ${headers.get("Mcp-Session-Id")}`);
    return named;
  };
  const services = {
    background: () => undefined,
    cancellation: { cancel: async () => ok(null) },
    deliver: async (sending: Sending) => (hear(sending), 200),
    retests: { isDue: () => false, note: () => undefined },
    sha256Hex: async () => "digest",
    sessions: {
      admit: async () => ok(null),
      offerFor: () => null,
      beginWithServer: async () => stored,
      end: async ({ id }: Session) => (ended.push(id), ok(true)),
    },
    upstream: async (sending: Sending) => {
      limits.push(sending.timeoutMs);
      const body = JSON.stringify({ jsonrpc: "2.0", id: "i", result: initialized });
      const headers = { "Content-Type": "application/json", "Mcp-Session-Id": "there" };
      return hear(sending) === "initialize" ? ok(new Response(body, { headers })) : notified;
    },
  } as unknown as BridgeServices;
  return { services, heard, limits, ended };
}

it("a session that can't be stored is ended at the server", async () => {
  const { services, heard, ended } = given({ stored: err(unavailable) });
  const begun = await beginLegacySession(services, exchange(), { meta, key: "k" });
  expect(begun).toEqual(err(unavailable));
  expect(heard).toEqual(["POST initialize null", "DELETE  there"]);
  expect(ended).toEqual([]);
});

it("a session whose server isn't told that it has begun is ended at both", async () => {
  const stored = ok(session({ upstreamId: "there" }));
  const { services, heard, ended } = given({ stored, notified: err(unavailable) });
  const begun = await beginLegacySession(services, exchange(), { meta, key: "k" });
  expect(begun).toEqual(err(unavailable));
  expect(heard).toEqual([
    "POST initialize null",
    "POST notifications/initialized there",
    "DELETE  there",
  ]);
  expect(ended).toEqual(["ses_1"]);
});

it("a server that doesn't answer a cancellation doesn't delay the end of its session for minutes", async () => {
  const { services, heard, limits } = given({});
  await cancelInSession(services, exchange(), { session: session(), meta, messageId: "1" });
  expect(heard).toEqual(["POST notifications/cancelled upstream-1"]);
  expect(limits).toEqual([15_000]);
});
