/** Long answers at the model endpoints: budgets hold, and calls that running calls block get in as these end. */
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { at } from "../fakes/caller.ts";
import { startModelWorld, type ModelWorld } from "../fakes/model-world.ts";
import type { RecordingProvider } from "../fakes/recording-provider.ts";
import { patient } from "../setup/patience.ts";

let provider: RecordingProvider;
let admin: ModelWorld["admin"];
let keyWith: ModelWorld["keyWith"];
let base: string;
const slug = "long-answers";
const said = { text: "Fine.", inputTokens: 100, outputTokens: 20 };

beforeAll(async () => {
  ({ provider, admin, keyWith, base } = await startModelWorld(slug));
});
afterAll(async () => {
  await provider.stop();
});
beforeEach(() => provider.says(said));

/** USD for a million tokens of output of the model. */
const usdPerMTok = 5;
const usdFor = (tokens: number): number => (tokens * usdPerMTok) / 1e6;

const ask = (key: string, more: object = {}): Promise<Response> =>
  fetch(`${base}/v1/messages`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "x-api-key": key },
    body: JSON.stringify({
      model: "claude-haiku-4-5",
      max_tokens: 64_000,
      messages: [{ role: "user", content: "Hello." }],
      ...more,
    }),
  });

it("a budget with little left lowers the limit, and the answer says so", async () => {
  const asked = async (usdPerDay: number, more: object = {}) => {
    const answer = await ask(await keyWith({ usdPerDay }), more);
    const text = await answer.text();
    const { status, headers } = answer;
    return [
      status,
      headers.get("x-router-max-tokens"),
      at(provider.sent().at(-1), "max_tokens"),
      text,
    ];
  };
  const whole = expect.any(String) as unknown;
  expect(await asked(usdFor(65_000))).toEqual([200, null, 64_000, whole]);
  for (const stream of [false, true]) {
    expect(await asked(usdFor(60_000), { stream })).toEqual([200, "16384", 16_384, whole]);
    expect(await asked(usdFor(6_000), { stream })).toEqual([200, "4096", 4_096, whole]);
  }
  const before = provider.sent().length;
  expect((await asked(usdFor(4_000))).slice(0, 2)).toEqual([402, null]);
  const thinking = { type: "enabled", budget_tokens: 8_000 };
  expect((await asked(usdFor(6_000), { thinking })).slice(0, 2)).toEqual([402, null]);
  expect(provider.sent().length).toBe(before);
});

it(
  "200 streams at once never pass a budget, and those that were refused get in as others end",
  async () => {
    const calls = 200;
    const fitting = 5;
    const limit = usdFor(fitting * 64_000 + 10_000);
    const key = await keyWith({ usdPerDay: limit });
    const gate = Promise.withResolvers<void>();
    provider.says({ ...said, pace: () => gate.promise });
    let refusals = 0;
    let ended = Promise.withResolvers<void>();
    const streamed = async (): Promise<string> => {
      for (;;) {
        const answer = await ask(key, { stream: true });
        const text = await answer.text();
        const { status, headers } = answer;
        if (status === 200) {
          ended.resolve();
          ended = Promise.withResolvers();
          return text;
        }
        refusals += 1;
        // A machine that is too busy to answer 200 calls together says so.
        expect([429, 529]).toContain(status);
        expect(text).toMatch(/"(rate_limit|overloaded)_error"/);
        const seconds = Number(headers.get("retry-after"));
        expect(seconds > 0 && seconds <= 120).toBe(true);
        await Promise.race([gate.promise, ended.promise]);
      }
    };
    const streams = Promise.all(Array.from({ length: calls }, streamed));
    // A hundred wait; the others are refused while five are running.
    await expect.poll(() => refusals).toBeGreaterThanOrEqual(calls - fitting - 100);
    await expect.poll(() => provider.sent().length).toBe(fitting);
    gate.resolve();
    for (const text of await streams) expect(text).toContain("message_stop");
    const { body } = await admin("GET", `/tenants/${slug}/limits`);
    const budgets = at(body, "data") as Record<string, unknown>[];
    const budget = budgets.find((each) => each["limit"] === limit);
    expect(budget).toMatchObject({ reserved: 0 });
    expect(Number(budget?.["used"])).toBeLessThan(usdFor(calls * 200));
  },
  patient(120_000),
);
