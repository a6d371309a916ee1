/** How long a legacy client has for the questions of a modern server, without a network. */
import { expect, it } from "vitest";
import { ok } from "../../../src/domain/result.ts";
import { askClient } from "../../../src/proxy/bridge/ask-client.ts";
import { callerWith } from "../pipeline/callers/callers.fixture.ts";
import { session } from "./exchange.fixture.ts";

const text = JSON.stringify({
  result: { inputRequests: { name: { method: "elicitation/create", params: { message: "q" } } } },
});

function asking(answersAt = Infinity) {
  let now = 0;
  let progressed = 0;
  const written: { method: string; params: unknown }[] = [];
  const withdrawn: string[] = [];
  const unused = (): never => {
    throw new Error("unused");
  };
  const done = askClient(
    {
      ids: { next: (kind) => `${kind}_1` },
      now: () => now,
      wait: async (ms) => void (now += ms),
      questions: {
        ask: async (_, { deadline }) => {
          expect(deadline).toBe(600_000);
          return ok(null);
        },
        async take({ ids }) {
          const answers = ids.map((id): [string, string] => [
            id,
            JSON.stringify({ result: { action: "decline" } }),
          ]);
          return ok({ answers: now >= answersAt ? answers : [], isOpen: true });
        },
        async withdraw({ ids }) {
          withdrawn.push(...ids);
          return ok(null);
        },
        answer: unused,
        askProcess: unused,
        receive: unused,
        answerOf: unused,
      },
    },
    { caller: callerWith({}) },
    {
      session: session(),
      reply: {
        streams: () => true,
        begin: () => undefined,
        write: async (event) => {
          const [, data = ""] = /^data: (.*)$/m.exec(String(event)) ?? [];
          written.push(JSON.parse(data) as (typeof written)[number]);
        },
        end: unused,
        answer: unused,
        during: unused,
      },
      text,
      questions: [{ key: "name", mode: "form" }],
      progress: () => void (progressed += 1),
      left: new AbortController().signal,
    },
  );
  return { done, written, withdrawn, time: () => now, progressed: () => progressed };
}

it("ten minutes: then the client is no longer asked, and the question is withdrawn", async () => {
  const { done, written, withdrawn, time, progressed } = asking();
  expect(await done).toMatchObject({
    error: { reason: "input_missing", detail: "The client didn't answer within 10 minutes." },
  });
  expect(time()).toBeGreaterThanOrEqual(600_000);
  expect(time()).toBeLessThan(602_000);
  expect(withdrawn).toEqual(["question_1"]);
  expect(written).toMatchObject([
    { method: "elicitation/create", params: { message: "q" } },
    { method: "notifications/cancelled", params: { requestId: "question_1" } },
  ]);
  expect(progressed()).toBeGreaterThan(500);
});

it("an answer in the last second counts", async () => {
  const { done, written, withdrawn } = asking(599_000);
  expect(await done).toEqual(ok([["name", '{"action":"decline"}']]));
  expect(written).toHaveLength(1);
  expect(withdrawn).toEqual([]);
});
