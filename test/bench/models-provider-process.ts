/** A provider that speaks Chat Completions, whole and streamed, in its own process. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { serveParent } from "./child.ts";

const about = { id: "chatcmpl-1", created: 1, model: "m" };
const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 };
const whole = JSON.stringify({
  ...about,
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: "Fine." }, finish_reason: "stop" }],
  usage,
});
const event = (data: object | string): string =>
  `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
const chunk = (delta: object, finish_reason: string | null = null): string =>
  event({
    ...about,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason }],
  });
const word = chunk({ content: " word" });

/** `user` says how many chunks come, ms between them, and ms before the first. */
async function stream(response: ServerResponse, user: string): Promise<void> {
  const [chunks = 1, gapMs = 0, firstMs = 0] = user.split(" ").map(Number);
  if (firstMs > 0) await wait(firstMs);
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(chunk({ role: "assistant", content: "" }));
  for (let sent = 0; sent < chunks && !response.destroyed; sent += 1) {
    if (sent > 0 && gapMs > 0) await wait(gapMs);
    // Each chunk is a write of its own, as a model's are.
    if (!response.write(word))
      await Promise.race([once(response, "drain"), once(response, "close")]);
    else if (sent % 10 === 9) await wait(0);
  }
  response.end(chunk({}, "stop") + event({ ...about, choices: [], usage }) + event("[DONE]"));
}

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  response.on("error", () => {});
  request.once("end", () => {
    const body = JSON.parse(Buffer.concat(parts).toString()) as { stream?: boolean; user?: string };
    if (body.stream === true) return void stream(response, body.user ?? "");
    response.writeHead(200, { "content-type": "application/json" });
    response.end(whole);
  });
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  serveParent({ url: `http://127.0.0.1:${port}/v1` }, () => server.closeAllConnections());
});
