/** A provider on loopback that answers when a test lets it. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

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
  const server = createServer((request, response) => {
    request.resume();
    request.once("end", () => held.push(response));
    response.once("close", () => {
      const at = held.indexOf(response);
      if (at < 0) return;
      held.splice(at, 1);
      left += 1;
    });
    response.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    waiting: () => held.length,
    left: () => left,
    answerAll() {
      const sum = { inputTokens: 0, outputTokens: 0 };
      for (const response of held.splice(0)) {
        answered += 1;
        const usage = { prompt_tokens: 3 + (answered % 5), completion_tokens: 2 + (answered % 7) };
        sum.inputTokens += usage.prompt_tokens;
        sum.outputTokens += usage.completion_tokens;
        response.writeHead(200, { "content-type": "application/json" });
        response.end(
          JSON.stringify({
            id: "chatcmpl-1",
            object: "chat.completion",
            created: 1,
            model: "one",
            choices: [
              { index: 0, message: { role: "assistant", content: "Yes." }, finish_reason: "stop" },
            ],
            usage,
          }),
        );
      }
      return sum;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
