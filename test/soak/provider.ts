/** A provider on loopback that remembers which requests came, and how many at once. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface CountingProvider {
  url: string;
  /** the numbers that the prompts began with */
  seen: Set<number>;
  /** the most requests at once since it was last reset */
  max(): number;
  reset(): void;
  /** ms that an answer takes, at least and at most */
  take(least: number, max: number): void;
  /** No answer leaves before. */
  holdUntil(moment: Promise<unknown>): void;
  stop(): Promise<void>;
}

interface Asked {
  messages: { content: unknown }[];
  max_tokens?: number;
  max_completion_tokens?: number;
}

/** Longer than a caller pauses: a connection that ends as it is used again is no fault of a router. */
const keepAliveMs = 300_000;

const below = (count: number): number => Math.floor(Math.random() * count);

export async function startCountingProvider(): Promise<CountingProvider> {
  const seen = new Set<number>();
  let running = 0;
  let max = 0;
  let latency = [5, 40] as [number, number];
  let released: Promise<unknown> = Promise.resolve();
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const asked = JSON.parse(body) as Asked;
    const number = /call (\d+)/.exec(JSON.stringify(asked.messages));
    seen.add(Number(number?.[1]));
    running += 1;
    max = Math.max(max, running);
    let over = false;
    const end = (): void => {
      if (!over) running -= 1;
      over = true;
    };
    response.once("close", end);
    await released;
    const [least, longest] = latency;
    setTimeout(
      () => {
        // Before the answer leaves: the next caller may be here before the answer has arrived.
        end();
        const tokens = asked.max_tokens ?? asked.max_completion_tokens ?? 1;
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
            usage: { prompt_tokens: 1 + below(3), completion_tokens: below(tokens + 1) },
          }),
        );
      },
      least + below(longest - least + 1),
    );
  };
  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = keepAliveMs;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    seen,
    max: () => max,
    reset() {
      max = running;
      seen.clear();
    },
    take(least, longest) {
      latency = [least, longest];
    },
    holdUntil(moment) {
      released = moment;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
