/**
 * The local provider: OpenAI's chat completions without think time. Its answer repeats the nonce
 * of the last user message, so that an answer can be told to be the one for its request.
 */
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export const providerKey = "sk-bench-provider";
export const providerModel = "gpt-5.4-mini";
export const providerUsage = { prompt_tokens: 160, completion_tokens: 12, total_tokens: 172 };
export const noncePattern = /nonce-[0-9a-z]+-[0-9]+/;
export const echoOf = (nonce: string): string => `The nonce was ${nonce}.`;

/** Longer than any pause of the bench: a connection that ends as it is used again is no fault of a router. */
const keepAliveMs = 300_000;

interface Asked {
  model?: unknown;
  messages?: { role?: unknown; content?: unknown }[];
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
  });
  response.end(text);
}

function answer(response: ServerResponse, key: string | undefined, text: string): void {
  const refuse = (status: number, message: string): void =>
    send(response, status, { error: { message, type: "error", code: null, param: null } });
  if (key !== `Bearer ${providerKey}`) return refuse(401, "not the credential's key");
  const { model, messages } = JSON.parse(text) as Asked;
  const last = messages?.findLast(({ role }) => role === "user")?.content;
  const nonce = noncePattern.exec(JSON.stringify(last) ?? "")?.[0];
  if (typeof model !== "string" || nonce === undefined) return refuse(400, "no model or no nonce");
  send(response, 200, {
    id: `chatcmpl-${nonce}`,
    object: "chat.completion",
    created: 1_795_000_000,
    model,
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: echoOf(nonce), refusal: null },
        finish_reason: "stop",
      },
    ],
    usage: providerUsage,
  });
}

/**
 * Listens on a random port of 127.0.0.1; `onRequest` is called as a request arrives.
 * @param thinkMs how long it takes for an answer
 */
export async function startProvider(
  onRequest: () => void = () => {},
  thinkMs = 0,
): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    onRequest();
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    const reply = (): void => {
      try {
        answer(response, request.headers.authorization, Buffer.concat(chunks).toString());
      } catch {
        send(response, 400, { error: { message: "not JSON", type: "error" } });
      }
    };
    request.on("end", () => {
      if (thinkMs === 0) reply();
      else setTimeout(reply, thinkMs);
    });
  });
  server.keepAliveTimeout = keepAliveMs;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", 1_024, resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, server };
}
