/** Keys that no database has cost one read in a while, in a row of their own, and nobody's first call waits behind them. */
import { describe, expect, it } from "vitest";
import { ok } from "../../../../src/domain/result.ts";
import type { KeyTokens, Snapshots } from "../../../../src/domain/ports/stores.ts";
import { createAuthenticate } from "../../../../src/pipeline/callers/authenticate.ts";
import { createCallerMemory } from "../../../../src/pipeline/callers/caller-memory.ts";
import { createLaneOf } from "../../../../src/pipeline/callers/lanes.ts";
import { callerWith } from "./callers.fixture.ts";

const { snapshot } = callerWith();
/** A token is a key's id, a dot, and a secret, which is the hash too; a capital letter is a mark. */
const tokens = {
  keyIdOf: (token: string) => token.split(".")[0] ?? null,
  isMarked: async (token: string) => /[A-Z]/.test(token),
  matches: async (token: string, hash: string) => token.split(".")[1] === hash,
} as unknown as KeyTokens;

function given(about: { secretHash?: string } = {}) {
  const loads: string[] = [];
  const paced: number[] = [];
  let now = 0;
  const memory = createCallerMemory({
    capacity: 10,
    life: { usedMs: 1_000, manyUses: 3, longestMs: 1_000 },
    now: () => now,
  });
  const snapshots = {
    load: async (keyId: string) => {
      loads.push(keyId);
      const key = { ...snapshot.key, id: keyId, secretHash: about.secretHash ?? "Right" };
      const found = keyId === "key_1" ? { ...snapshot, key } : null;
      return ok({ snapshot: found, session: null, server: null });
    },
  } as unknown as Snapshots;
  const authenticate = createAuthenticate({
    snapshots,
    tokens,
    accessTokens: { check: async () => ok(null) },
    keyCodes: { isKnown: async () => true },
    memory,
    lookups: {
      async pace(lookUp) {
        paced.push(loads.length);
        return lookUp();
      },
    },
    now: () => 0,
  });
  const laneOf = createLaneOf({ tokens, memory });
  return {
    loads,
    paced,
    pass: (ms: number) => (now += ms),
    lane: (token: string) => laneOf({ token, sessionId: null }),
    call: (token: string) =>
      authenticate({ token, sessionId: null, scope: "sampling" }, "database"),
  };
}

describe("keys that somebody invents", () => {
  it("are read once, one after the other, and then refused at the door without a read", async () => {
    const { loads, paced, lane, call } = given();
    expect(await lane("key_2.x")).toEqual({ kind: "unverified" });
    for (let count = 0; count < 3; count += 1) expect((await call("key_2.x")).ok).toBe(false);
    expect([loads, paced]).toEqual([["key_2"], [0]]);
    expect(await lane("key_2.x")).toEqual({ kind: "unknown" });
  });

  it("share no lane with a key that nobody has used yet, nor does any other such key", async () => {
    const { paced, lane, call } = given();
    expect(await lane("key_1.Right")).toEqual({ kind: "lane", name: "key_1" });
    expect(await lane("key_3.Right")).toEqual({ kind: "lane", name: "key_3" });
    expect((await call("key_1.Right")).ok).toBe(true);
    expect(paced).toEqual([]);
    expect(await lane("key_1.Right")).toEqual({ kind: "lane", name: "ten_1" });
  });

  it("are no key's secret: a guess keeps its key's owner waiting for nothing", async () => {
    const { paced, lane, call } = given();
    expect((await call("key_1.Right")).ok).toBe(true);
    expect(await lane("key_1.wrong")).toEqual({ kind: "unverified" });
    expect((await call("key_1.wrong")).ok).toBe(false);
    expect(paced).toHaveLength(1);
  });
});

it("is a stranger's only until it was let in once, where its mark is of an older master key", async () => {
  const { paced, pass, lane, call } = given({ secretHash: "right" });
  expect(await lane("key_1.right")).toEqual({ kind: "unverified" });
  expect((await call("key_1.right")).ok).toBe(true);
  pass(10_000);
  expect(await lane("key_1.right")).toEqual({ kind: "lane", name: "ten_1" });
  expect((await call("key_1.right")).ok).toBe(true);
  expect(paced).toHaveLength(1);
});
