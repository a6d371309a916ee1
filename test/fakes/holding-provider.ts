/** A provider on loopback that answers when a test lets it. */
import type { ServerResponse } from "node:http";
import { answerAt } from "./wire-answers.ts";
import { sendJson, startWireServer } from "./wire-server.ts";

export interface HoldingProvider {
  /** base URL of an `openai-compatible` credential */
  url: string;
  /** calls that wait for their answers */
  waiting(): number;
  /** calls whose caller left before their answers */
  left(): number;
  /** Answers all requests that wait, and gives the sum of the tokens that it counted for them. */
  answerAll(): { inputTokens: number; outputTokens: number };
  stop(): Promise<void>;
}

export async function startHoldingProvider(): Promise<HoldingProvider> {
  const held: ServerResponse[] = [];
  let answered = 0;
  let left = 0;
  const server = await startWireServer({
    answers(_request, response) {
      held.push(response);
      response.once("close", () => {
        const at = held.indexOf(response);
        if (at < 0) return;
        held.splice(at, 1);
        left += 1;
      });
    },
  });
  return {
    url: server.url("openai-compatible"),
    waiting: () => held.length,
    left: () => left,
    answerAll() {
      const sum = { inputTokens: 0, outputTokens: 0 };
      for (const response of held.splice(0)) {
        answered += 1;
        const tokens = { inputTokens: 3 + (answered % 5), outputTokens: 2 + (answered % 7) };
        sum.inputTokens += tokens.inputTokens;
        sum.outputTokens += tokens.outputTokens;
        sendJson(response, 200, answerAt("compatible", { text: "Yes.", ...tokens }));
      }
      return sum;
    },
    stop: () => server.stop(),
  };
}
