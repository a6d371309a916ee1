/** Failed sign-ins are throttled by address and key, and parallel attempts gain nothing. */
import { beforeEach, describe, expect, it } from "vitest";
import { err, ok } from "../../../../src/domain/result.ts";
import {
  createSignInThrottle,
  type SignInThrottle,
} from "../../../../src/pipeline/people/sign-in-throttle.ts";

let now = 0;
let throttle: SignInThrottle;
const made = (more: { capacity?: number; notesPerMinute?: number } = {}): SignInThrottle =>
  createSignInThrottle({ capacity: 100, notesPerMinute: 100, elapsed: () => now, ...more });
beforeEach(() => {
  now = 1_000;
  throttle = made();
});

const fail = (address: string, subject = "operator") => throttle.begin({ address, subject });
const isLet = (address: string, subject = "operator"): boolean => fail(address, subject).ok;

describe("whoever fails to sign in", () => {
  it("waits after the sixth failure, and is told for how long", () => {
    for (let tries = 0; tries < 6; tries += 1) expect(isLet("192.0.2.1")).toBe(true);
    expect(fail("192.0.2.1")).toEqual({
      ok: false,
      error: { reason: "rate_limited", limit: "signIn.failures", retryAfterMs: 1_000 },
    });
    now += 999;
    expect(isLet("192.0.2.1")).toBe(false);
    now += 1;
    expect(isLet("192.0.2.1")).toBe(true);
    now += 1_000;
    expect(isLet("192.0.2.1")).toBe(false);
  });

  it("keeps nobody else waiting, until the same key was tried often", () => {
    for (let tries = 0; tries < 7; tries += 1) fail("192.0.2.1", "key_1");
    expect(isLet("192.0.2.2", "key_1")).toBe(true);
    for (let tries = 0; tries < 20; tries += 1) fail(`198.51.100.${tries}`, "key_1");
    expect(isLet("192.0.2.3", "key_1")).toBe(false);
    expect(isLet("192.0.2.3", "key_2")).toBe(true);
  });

  it("gets no more tries by sending all tries at once", () => {
    const tries = Array.from({ length: 50 }, () => isLet("192.0.2.1"));
    expect(tries.filter(Boolean)).toHaveLength(6);
  });

  it("wins no tries by a sign-in of another key that succeeds", () => {
    for (let tries = 0; tries < 5; tries += 1) fail("192.0.2.1");
    const good = fail("192.0.2.1", "key_own");
    expect(good.ok).toBe(true);
    if (good.ok) good.value.succeeded();
    expect(isLet("192.0.2.1")).toBe(true);
    expect(isLet("192.0.2.1")).toBe(false);
  });

  it("is forgotten a quarter of an hour after the last failure", () => {
    for (let tries = 0; tries < 6; tries += 1) fail("192.0.2.1");
    now += 15 * 60_000 + 1;
    for (let tries = 0; tries < 6; tries += 1) expect(isLet("192.0.2.1")).toBe(true);
  });
});

it("signing in often costs no wait", () => {
  for (let tries = 0; tries < 50; tries += 1) {
    const attempt = fail("192.0.2.1");
    expect(attempt.ok).toBe(true);
    if (attempt.ok) attempt.value.succeeded();
  }
});

it("a try that nobody could look at costs no wait, and is no failure", () => {
  for (let tries = 0; tries < 50; tries += 1) {
    const attempt = fail("192.0.2.1");
    expect(attempt.ok).toBe(true);
    if (attempt.ok)
      expect(attempt.value.failedBy(err({ reason: "unavailable", retryAfterMs: 1_000 }))).toBe(
        false,
      );
  }
});

it("a try that was refused is a failure", () => {
  const attempt = fail("192.0.2.1");
  expect(attempt.ok && attempt.value.failedBy(err({ reason: "unauthorized", detail: "" }))).toBe(
    true,
  );
  expect(attempt.ok && attempt.value.failedBy(ok(null))).toBe(false);
});

it("remembers no more than its capacity, and forgets first who failed longest ago", () => {
  throttle = made({ capacity: 4 });
  for (let tries = 0; tries < 6; tries += 1) fail("192.0.2.1", "key_1");
  fail("192.0.2.2", "key_2");
  expect(isLet("192.0.2.1", "key_1")).toBe(false);
  fail("192.0.2.3", "key_3");
  expect(isLet("192.0.2.1", "key_1")).toBe(true);
});

it("notes few failed sign-ins in a minute, whatever their addresses and keys", () => {
  throttle = made({ notesPerMinute: 3 });
  const noted = (): number =>
    Array.from({ length: 10 }, (_, at) => throttle.begin({ address: `a${at}`, subject: `k${at}` }))
      .map((attempt) => attempt.ok && attempt.value.isNoted)
      .filter(Boolean).length;
  expect(noted()).toBe(3);
  now += 15 * 60_000 + 1;
  expect(noted()).toBe(3);
});
