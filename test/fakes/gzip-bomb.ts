/** A provider on loopback whose answers are small on the wire and huge once they are unpacked. */
import { createGzip } from "node:zlib";
import { Readable } from "node:stream";
import { startWireServer } from "./wire-server.ts";

export interface GzipBomb {
  /** base URL for a credential of any provider */
  url: string;
  /** bytes of one answer on the wire */
  wireBytes: number;
  /** with which status it answers from now on */
  answersWith(status: number): void;
  requests(): number;
  stop(): Promise<void>;
}

/** A completion with a text of that length. Nothing else about the completion is wrong. */
function* completionOf(unpackedBytes: number): Generator<Buffer> {
  yield Buffer.from(
    '{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,',
  );
  yield Buffer.from('"finish_reason":"stop","message":{"role":"assistant","content":"');
  const piece = Buffer.alloc(64 * 1024, "a");
  for (let left = unpackedBytes; left > 0; left -= piece.byteLength) yield piece;
  yield Buffer.from('"}}],"usage":{"prompt_tokens":12,"completion_tokens":5}}');
}

async function packed(unpackedBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of Readable.from(completionOf(unpackedBytes)).pipe(
    createGzip({ level: 9 }),
  ))
    parts.push(part as Buffer);
  return Buffer.concat(parts);
}

export async function startGzipBomb(unpackedBytes: number): Promise<GzipBomb> {
  const body = await packed(unpackedBytes);
  let status = 200;
  let count = 0;
  const server = await startWireServer({
    answers(_request, response) {
      count += 1;
      response.writeHead(status, {
        "Content-Type": "application/json",
        "Content-Encoding": "gzip",
        "Content-Length": body.byteLength,
      });
      response.end(body);
    },
  });
  return {
    url: server.url("openai-compatible"),
    wireBytes: body.byteLength,
    answersWith: (next) => void (status = next),
    requests: () => count,
    stop: () => server.stop(),
  };
}
