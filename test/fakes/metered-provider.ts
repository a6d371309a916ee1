/** A provider on loopback that reports whatever usage a test wants to see billed. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { png } from "../fixtures/providers/calls.ts";

/** What a model answers. */
export interface MeteredReply {
  /** null: nothing at all, in an envelope that is right */
  text: string | null;
  /** one image beside the text; Google's wire alone */
  draws?: true;
  /** the provider's own object, as it stands in the body; absent: none */
  usage?: Record<string, unknown>;
}

export interface MeteredProvider {
  /** Base URL for a credential of that provider: `openai`, `anthropic`, `google`, or a compatible one. */
  url(provider: string): string;
  /** What a model answers from now on. */
  set(model: string, reply: MeteredReply): void;
  /** The models that were asked, oldest first. */
  asked(): string[];
  clear(): void;
  stop(): Promise<void>;
}

/** JSON has no number above 1.8e308, and JavaScript writes 2^63 as JSON does. */
function bodyOf(path: string, model: string, { text, draws, usage }: MeteredReply): unknown {
  if (path.includes("/messages"))
    return {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model,
      content: text === null ? [] : [{ type: "text", text }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage,
    };
  if (path.includes(":generateContent")) {
    const parts = [
      ...(text === null ? [] : [{ text }]),
      ...(draws ? [{ inlineData: { mimeType: "image/png", data: png } }] : []),
    ];
    return {
      candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }],
      usageMetadata: usage,
    };
  }
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model,
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage,
  };
}

export async function startMeteredProvider(): Promise<MeteredProvider> {
  const replies = new Map<string, MeteredReply>();
  let asked: string[] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = "";
    request.setEncoding("utf8");
    for await (const chunk of request) text += String(chunk);
    const path = request.url ?? "";
    const inPath = /\/models\/([^/:]+):/.exec(path)?.[1];
    const model = inPath ?? (JSON.parse(text) as { model: string }).model;
    asked.push(model);
    const reply = replies.get(model) ?? { text: "Hello." };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(bodyOf(path, model, reply)));
  };
  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: (provider) => `${origin}/${provider === "google" ? "v1beta" : "v1"}`,
    set: (model, reply) => void replies.set(model, reply),
    asked: () => [...asked],
    clear: () => {
      asked = [];
      replies.clear();
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
