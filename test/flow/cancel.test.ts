/** A call is cancelled by a notification that reaches another process or isolate than the call. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adminOf, asking, createTenant, openSession } from "../fakes/caller.ts";
import { startFaultyProvider, type FaultyProvider } from "../fakes/faulty-provider.ts";
import { borrowPair } from "../fakes/shared-pair.ts";
import type { SharedRouter } from "../fakes/shared-router.ts";
import { sharing } from "../setup/shared-settings.ts";

const message = (id: number | string, method: string, params: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });
const cancelled = (requestId: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });

describe.each(sharing)("notifications/cancelled, at two %s", (how) => {
  let faulty: FaultyProvider;
  let one: SharedRouter;
  let other: SharedRouter;

  beforeAll(async () => {
    faulty = await startFaultyProvider({ slowMs: 20_000 });
    ({
      routers: [one, other],
    } = await borrowPair(how));
  });
  afterAll(async () => {
    await faulty?.stop();
  });

  // cites: U-002
  it("ends the call within two seconds, from either of the two, and no other call", async () => {
    const { key } = await createTenant(one, "cancel", {
      provider: "openai-compatible",
      baseUrl: faulty.url("openai-compatible"),
      models: [{ id: "slow", inputUsdPerMTok: 1, outputUsdPerMTok: 1 }],
      policy: { limits: { concurrent: 2, tokensPerMinute: 10_000 } },
    });
    faulty.setMode("slow");
    const session = await openSession(one, key);
    const call = (id: number | string) =>
      session.send(message(id, "sampling/createMessage", asking("take your time")));
    const taken = call("a");
    const staying = call(1);
    const until = Date.now() + 10_000;
    while (faulty.requests().length < 2 && Date.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(faulty.requests()).toHaveLength(2);

    const elsewhere = { ...session, url: other.url };
    // Neither the text "1" nor an id of another session is the call 1.
    for (const id of ["1", "a"]) {
      const answer = await fetch(`${elsewhere.url}/v1/sampling`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${key}`,
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
          "Mcp-Session-Id": session.sessionId ?? "",
        },
        body: cancelled(id),
      });
      expect(answer.status).toBe(202);
    }
    const answer = await taken;
    // Long before the provider would answer.
    expect(answer.get("error")).toMatchObject({ code: -499, data: { reason: "cancelled" } });

    const admin = adminOf(one, one.adminToken);
    const records = await admin("GET", "/tenants/cancel/requests");
    const outcomes = (records.get("data") as { outcome: string }[]).map(({ outcome }) => outcome);
    expect(outcomes.toSorted()).toEqual(["admitted", "cancelled"]);
    const ended = (records.get("data") as { outcome: string }[]).find(
      ({ outcome }) => outcome === "cancelled",
    );
    // Nobody can say what the provider bills, so the call is charged as reserved.
    expect(ended).toMatchObject({
      reason: "cancelled",
      attempts: [{ fault: "cancelled", billed: "maybe" }],
      costMicroUsd: expect.any(Number),
    });
    const more = await session.send(message(2, "ping", {}));
    expect(more.get("result")).toEqual({});
    await session.send(cancelled(1));
    expect((await staying).get("error.code")).toBe(-499);
  });
});
