/** Guesses of the operator's token wait, and the operator's own requests do not. */
import { expect, it } from "vitest";
import { createOperatorToken } from "../../../../src/pipeline/people/operator-token.ts";
import { createSignInThrottle } from "../../../../src/pipeline/people/sign-in-throttle.ts";

function given() {
  const clock = { now: 1_000_000 };
  const throttle = createSignInThrottle({
    capacity: 100,
    notesPerMinute: 30,
    elapsed: () => clock.now,
  });
  const isOperatorToken = createOperatorToken({
    isOperator: async (token) => token === "right",
    isOther: (token) => token.startsWith("srk_"),
    throttle,
  });
  const says = async (token: string, address = "192.0.2.1") => {
    const answer = await isOperatorToken({ token, address });
    return answer.ok ? answer.value : answer.error.reason;
  };
  return { clock, says };
}

it("slows guesses of one network down, at once too, and does not say that one is right", async () => {
  const { clock, says } = given();
  const first = await Promise.all(Array.from({ length: 1_020 }, (_, at) => says(`guess ${at}`)));
  expect(first.filter((answer) => answer === false)).toHaveLength(1_001);
  expect(first.filter((answer) => answer === "rate_limited")).toHaveLength(19);
  expect(await says("right")).toBe("rate_limited");
  expect(await says("right", "192.0.2.2")).toBe(true);
  let evaluated = 0;
  for (let second = 0; second < 3_600; second += 1) {
    clock.now += 1_000;
    if ((await says("guess")) === false) evaluated += 1;
  }
  // About one a minute.
  expect(evaluated).toBeGreaterThan(50);
  expect(evaluated).toBeLessThan(75);
});

it("keeps nobody waiting who has the token, or shows an API key", async () => {
  const { says } = given();
  const right = await Promise.all(Array.from({ length: 2_000 }, () => says("right")));
  expect(new Set(right)).toEqual(new Set([true]));
  const keys = await Promise.all(Array.from({ length: 2_000 }, () => says("srk_a_b")));
  expect(new Set(keys)).toEqual(new Set([false]));
  expect(await says("right")).toBe(true);
});
