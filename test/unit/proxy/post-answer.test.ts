/** How an answer of the router's reaches the server that asked. */
import { describe, expect, it } from "vitest";
import { ok } from "../../../src/domain/result.ts";
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
});
