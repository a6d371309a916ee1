/** A provider on loopback that reports whatever usage a test wants to see billed. */
import { answerAt, type Said } from "./wire-answers.ts";
import { sendJson, startWireServer } from "./wire-server.ts";

export interface MeteredProvider {
  /** Base URL for a credential of that provider: `openai`, `anthropic`, `google`, or a compatible one. */
  url(provider: string): string;
  /** What a model answers from now on. Without `usage`, the answer has none. */
  set(model: string, said: Said): void;
  /** The models that were asked, oldest first. */
  asked(): string[];
  clear(): void;
  stop(): Promise<void>;
}

export async function startMeteredProvider(): Promise<MeteredProvider> {
  const replies = new Map<string, Said>();
  let asked: string[] = [];
  const server = await startWireServer({
    receives: ({ model }) => void asked.push(model),
    answers({ wire, model }, response) {
      const said = { text: "Hello.", usage: undefined, ...replies.get(model) };
      sendJson(response, 200, answerAt(wire ?? "compatible", said));
    },
  });
  return {
    ...server,
    set: (model, said) => void replies.set(model, said),
    asked: () => [...asked],
    clear() {
      asked = [];
      replies.clear();
    },
  };
}
