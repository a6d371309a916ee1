/** Keys that no database has cost one read in a while, and nobody's first call waits behind them. */
import { expect, it } from "vitest";
import { ok } from "../../../src/domain/result.ts";
import type { KeyTokens, Snapshots } from "../../../src/domain/ports/stores.ts";
import {
  createAuthenticate,
  createCallerMemory,
  createLaneOf,
} from "../../../src/pipeline/authenticate.ts";
import { callerWith } from "./callers.fixture.ts";

const { snapshot } = callerWith();
/** A token is a key's id, a dot, and a secret, which is the hash too. */
const tokens = {
  keyIdOf: (token: string) => token.split(".")[0] ?? null,
  matches: async (token: string, hash: string) => token.split(".")[1] === hash,
} as unknown as KeyTokens;

function given() {
  const loads: string[] = [];
  const memory = createCallerMemory({
    capacity: 10,
    life: { usedMs: 1_000, manyUses: 3, longestMs: 1_000 },
    now: () => 0,
  });
  const snapshots = {
    load: async (keyId: string) => {
      loads.push(keyId);
      const key = { ...snapshot.key, id: keyId, secretHash: "right" };
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
    now: () => 0,
  });
  const laneOf = createLaneOf({ tokens, memory });
  return {
    loads,
    lane: (token: string) => laneOf({ token, sessionId: null }),
    call: (token: string) =>
      authenticate({ token, sessionId: null, scope: "sampling" }, "database"),
  };
}

it("are read once, and then refused at the door, without a read", async () => {
  const { loads, lane, call } = given();
  expect(await lane("key_2.x")).toBe("unknown");
  for (let count = 0; count < 3; count += 1) expect((await call("key_2.x")).ok).toBe(false);
  expect(loads).toEqual(["key_2"]);
  expect([await lane("key_2.x"), await lane("key_1.right")]).toEqual([null, "unknown"]);
  expect((await call("key_1.right")).ok).toBe(true);
});

it("are no key's secret: a guess keeps its key's owner waiting for nothing", async () => {
  const { lane, call } = given();
  expect((await call("key_1.wrong")).ok).toBe(false);
  expect((await call("key_1.right")).ok).toBe(true);
  expect([await lane("key_1.wrong"), await lane("key_1.right")]).toEqual(["guessed", "ten_1"]);
});
