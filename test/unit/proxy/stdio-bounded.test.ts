/** One server's calls beside each other: some run, some wait, more are refused. */
import { expect, it } from "vitest";
import { ok } from "../../../src/domain/result.ts";
import { createBoundedSample } from "../../../src/proxy/stdio/bounded.ts";

const never = new AbortController().signal;

function held() {
  const ends: (() => void)[] = [];
  const sample = createBoundedSample(
    () => new Promise((resolve) => void ends.push(() => resolve(ok({})))),
  );
  return { ends, sample };
}
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

it("runs 16 calls, lets 256 wait, and refuses the next", async () => {
  const { ends, sample } = held();
  const calls = Array.from({ length: 16 + 256 }, () => sample({}, { signal: never }));
  expect(ends).toHaveLength(16);
  expect(await sample({}, { signal: never })).toMatchObject({
    ok: false,
    error: { data: { reason: "rate_limited", limit: "proxy.sampling" } },
  });
  for (let at = 0; at < calls.length; at++) {
    ends[at]?.();
    await settled();
    expect(ends.length - at - 1).toBeLessThanOrEqual(16);
  }
  expect((await Promise.all(calls)).every(({ ok: isOk }) => isOk)).toBe(true);
});

it("asks nobody for a call that was cancelled while it waited", async () => {
  const { ends, sample } = held();
  const running = Array.from({ length: 16 }, () => sample({}, { signal: never }));
  const leaving = new AbortController();
  const left = sample({}, { signal: leaving.signal });
  const next = sample({}, { signal: never });
  leaving.abort();
  expect(await left).toMatchObject({ ok: false, error: { data: { reason: "cancelled" } } });
  ends[0]?.();
  await settled();
  expect(ends).toHaveLength(17);
  for (const end of ends) end();
  expect((await Promise.all([...running, next])).every(({ ok: isOk }) => isOk)).toBe(true);
});
