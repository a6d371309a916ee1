/** How an answer of the router's reaches the server that asked. */
import { describe, expect, it } from "vitest";
import { serverFailed } from "../../../src/domain/refusals.ts";
import { err, ok } from "../../../src/domain/result.ts";
import { createDeliver } from "../../../src/proxy/legacy/post-answer.ts";
import type { Upstream } from "../../../src/pipeline/servers/upstream.ts";
import { exchange } from "./exchange.fixture.ts";

describe("an answer for a server", () => {
  it("has a signal of its own, since each request leaves a listener on the signal that it is given", async () => {
    const signals: AbortSignal[] = [];
    const upstream: Upstream = async ({ signal }) => {
      signals.push(signal);
      return ok(new Response(null, { status: 202 }));
    };
    const deliver = createDeliver({ upstream, wait: async () => {} });
    const { server, caller, headers, authorization } = exchange();
    for (const body of ["1", "2"])
      expect(await deliver({ server, caller, headers, authorization, body })).toBe(202);
    expect(new Set(signals).size).toBe(2);
  });

  it("and the end of a session are repeated while the server can't take them", async () => {
    const statuses = [0, 503, 200];
    const methods: string[] = [];
    const upstream: Upstream = async ({ method }) => {
      methods.push(method);
      const status = statuses.shift() ?? 0;
      return status === 0 ? err(serverFailed("gone")) : ok(new Response(null, { status }));
    };
    const deliver = createDeliver({ upstream, wait: async () => {} });
    const { server, caller, headers, authorization } = exchange();
    const message = { server, caller, headers, authorization, body: null };
    expect(await deliver({ ...message, method: "DELETE" })).toBe(200);
    expect(await deliver(message)).toBe(0);
    expect(methods).toEqual(["DELETE", "DELETE", "DELETE", "POST", "POST", "POST"]);
  });
});
