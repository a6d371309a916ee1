/** A wait ends at its deadline or with its caller, whichever comes first. */
import { describe, expect, it } from "vitest";
import { signalUntil } from "../../../../../src/pipeline/sampling/attempts/signal-until.ts";

/** A timer that the test fires. */
function timer() {
  let act: (() => void) | null = null;
  return {
    fire: () => act?.(),
    after: (_: number, next: () => void) => {
      act = next;
      return () => void (act = null);
    },
  };
}

describe("the signal of a wait with a deadline", () => {
  it("aborts at the deadline, as a timeout", () => {
    const { after, fire } = timer();
    const { signal } = signalUntil(new AbortController().signal, { ms: 5, after });
    expect(signal.aborted).toBe(false);
    fire();
    expect(signal.reason).toMatchObject({ name: "TimeoutError" });
  });

  it("aborts with the caller's signal and reason, whether the caller aborts before or later", () => {
    const { after } = timer();
    const caller = new AbortController();
    const first = signalUntil(caller.signal, { ms: 5, after });
    caller.abort("left");
    expect([first.signal.aborted, first.signal.reason]).toEqual([true, "left"]);
    expect(signalUntil(caller.signal, { ms: 5, after }).signal.reason).toBe("left");
  });

  it("never aborts once the wait is over", () => {
    const { after, fire } = timer();
    const caller = new AbortController();
    const { signal, stop } = signalUntil(caller.signal, { ms: 5, after });
    stop();
    fire();
    caller.abort();
    expect(signal.aborted).toBe(false);
  });
});
