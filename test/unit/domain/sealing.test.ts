/** Sealed values count only under the version and the context that they were sealed with. */
import { describe, expect, it } from "vitest";
import {
  acceptsFirst,
  acceptsUncoded,
  firstState,
  providerKeyOf,
  sealingSteps,
  type SealingState,
  type SealingTraces,
} from "../../../src/domain/tenancy/sealing.ts";
import { isSameDestination, secretsOf } from "../../../src/domain/servers/server.ts";
import { server } from "../../contract/store/fixtures.ts";

const now = 1_000_000;
const nothing: SealingTraces = { second: false, first: false, sealed: false, used: false };
const state = (fields: Partial<SealingState> = {}): SealingState => ({
  keyId: "a",
  adopts: true,
  step: "keys",
  since: 0,
  ...fields,
});

describe("a master key's first time in a database", () => {
  it.each<[string, Partial<SealingTraces>, SealingState | "forged" | null, object]>([
    ["an empty one", {}, null, { adopts: false, step: "done" }],
    [
      "one of the version before",
      { first: true, sealed: true, used: true },
      null,
      { adopts: true },
    ],
    ["one with keys alone", { used: true }, null, { adopts: true, step: "keys" }],
    [
      "one whose state is gone",
      { first: true, second: true, sealed: true },
      null,
      { adopts: false },
    ],
    ["another key's", { sealed: true, used: true }, null, { adopts: false, step: "keys" }],
    [
      "the previous key's",
      { first: true, sealed: true },
      state({ step: "done" }),
      { adopts: false },
    ],
    [
      "one in the middle",
      { second: true, sealed: true },
      state({ step: "servers" }),
      { adopts: true },
    ],
    ["one that somebody wrote in", { first: true, sealed: true }, "forged", { adopts: false }],
  ])("in %s", (_, traces, previous, expected) => {
    const its = firstState("b", { previous, traces: { ...nothing, ...traces }, now });
    expect(its).toMatchObject({ keyId: "b", since: now, ...expected });
  });
});

describe("version 1", () => {
  it("counts for what was not taken over yet, and for nothing else", () => {
    const at = { now, beginsAt: now };
    expect(acceptsFirst(state({ step: "servers" }), "credential", at)).toBe(false);
    for (const purpose of ["server", "token", "authorization", "capture", "result"] as const)
      expect(acceptsFirst(state({ step: "servers" }), purpose, at)).toBe(true);
    for (const step of sealingSteps)
      expect(acceptsFirst(state({ adopts: false, step }), "credential", at)).toBe(false);
    expect(acceptsFirst(state({ step: "done" }), "result", at)).toBe(false);
    expect(acceptsUncoded(state())).toBe(true);
    expect(acceptsUncoded(state({ step: "credentials" }))).toBe(false);
    expect(acceptsUncoded(state({ adopts: false }))).toBe(false);
  });

  it("counts for the rounds that clients hold, for a day", () => {
    const dayMs = 24 * 3_600_000;
    const done = state({ step: "done" });
    expect(acceptsFirst(done, "round", { now: dayMs - 1, beginsAt: 0 })).toBe(true);
    expect(acceptsFirst(done, "round", { now: dayMs, beginsAt: 0 })).toBe(false);
    expect(acceptsFirst({ ...done, adopts: false }, "round", { now: 1, beginsAt: 0 })).toBe(false);
  });
});

describe("what a seal names", () => {
  it("is the base URL of a credential, or that there is none", () => {
    const its = { tenantId: "ten_1", provider: "openai", id: "cred_1" };
    expect(providerKeyOf({ ...its, baseUrl: null }).destination).toBe("default");
    expect(providerKeyOf({ ...its, baseUrl: "https://a.test/v1" }).destination).toBe(
      "https://a.test/v1",
    );
  });

  it("is every URL of a server's entry to which a secret goes", () => {
    const client = {
      grant: "authorization_code",
      clientId: "c",
      hasSecret: true,
      tokenEndpoint: "https://as.test/token",
      authorizationEndpoint: "https://as.test/authorize",
      scope: null,
      resource: null,
    } as const;
    const its = server("ten_1", { url: "https://mcp.test/one", oauth: client });
    const others = [
      { ...its, url: "https://mcp.test/two" },
      { ...its, oauth: null },
      { ...its, oauth: { ...client, tokenEndpoint: "https://as.test/other" } },
      { ...its, oauth: { ...client, authorizationEndpoint: null } },
    ];
    for (const other of others) {
      expect(isSameDestination(its, other)).toBe(false);
      expect(secretsOf(other).destination).not.toBe(secretsOf(its).destination);
    }
    expect(isSameDestination(its, { ...its, oauth: { ...client, scope: "more" } })).toBe(true);
  });
});
