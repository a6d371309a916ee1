/**
 * Carries one modern request to the server, and again for every round, and the server's answer to the
 * client: what comes before the answer goes on as it comes, the answer itself when no round is left.
 */
import { own } from "../../domain/json.ts";
import type { Refusal } from "../../domain/refusals.ts";
import type { Result } from "../../domain/result.ts";
import { createSplitter, messageEvent, withData, type Block } from "../../mcp/proxy/blocks.ts";
import { concatenated, declaredBytes } from "../body.ts";
import { returnedHeaders } from "../../pipeline/upstream.ts";
import type { Round, Step } from "../../pipeline/rounds.ts";
import type { ClientSide } from "./client-side.ts";

/** Of one answer, or one event, which is held until it is known whether it asks for sampling. */
export const mostHeldBytes = 16 * 1024 * 1024;

export interface Relaying {
  round: Round;
  send: (text: string) => Promise<Result<Response, Refusal>>;
  client: ClientSide;
  gone: AbortSignal;
  /** as an HTTP response */
  refuse: (refusal: Refusal, requestId: string | null) => Promise<Response>;
  /** as the JSON-RPC error of a stream, JSON text */
  refusalText: (refusal: Refusal, requestId: string | null) => string;
}

/** Where an answer stands: in a stream, or alone. */
type From =
  | { kind: "stream"; block: Block; rest: AsyncGenerator<Block> }
  | { kind: "body"; bytes: Uint8Array<ArrayBuffer> };

/** What a server said in the end: an answer, or the "no" of its transport. */
type Heard =
  | { kind: "answer"; text: string; from: From }
  /** nothing to look at: it went on, or goes on, as it came */
  | { kind: "passed" }
  | { kind: "failed"; refusal: Refusal };

const failed = (detail: string, status: number | null = null): Heard => ({
  kind: "failed",
  refusal: { reason: "server_failed", serverStatus: status, detail },
});
const tooLarge = failed(`Its answer is larger than ${mostHeldBytes} bytes.`);

export const isStream = (response: Response): boolean =>
  response.ok &&
  (response.headers.get("content-type")?.toLowerCase().startsWith("text/event-stream") ?? false);

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** A response to the request of that id; an error without an id can be about no other. */
function answers(text: string, idText: string): boolean {
  const message = parsed(text);
  const id = own(message, "id");
  if (own(message, "error") !== undefined && (id === undefined || id === null)) return true;
  const isResponse = own(message, "result") !== undefined || own(message, "error") !== undefined;
  return isResponse && JSON.stringify(id) === JSON.stringify(JSON.parse(idText));
}

export async function bytesOf(response: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  if ((declaredBytes(response) ?? Infinity) <= mostHeldBytes)
    return new Uint8Array(await response.arrayBuffer());
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > mostHeldBytes) return null;
    parts.push(part);
  }
  return concatenated(parts);
}

/** A block that grows too large is handed out in parts, as it comes. */
export async function* blocksOf(response: Response): AsyncGenerator<Block> {
  const splitter = createSplitter();
  for await (const chunk of response.body ?? []) {
    yield* splitter.push(chunk);
    const part = splitter.pending() > mostHeldBytes ? splitter.end() : null;
    if (part !== null) yield { ...part, data: null };
  }
  const last = splitter.end();
  if (last !== null) yield last;
}

async function passRest(blocks: AsyncGenerator<Block>, client: ClientSide): Promise<void> {
  try {
    for await (const block of blocks) await client.write(block.raw);
  } catch {
    // It broke off, or its reader has left: the client's stream ends where it did.
  }
}

/** A stream that nobody looks into, with comments where the server is silent for long. */
export async function relayStream(response: Response, client: ClientSide): Promise<void> {
  client.begin(returnedHeaders(response.headers));
  await passRest(blocksOf(response), client);
  client.end();
}

/** One exchange with the server, up to its answer. */
async function hear(
  { round, client, gone }: Relaying,
  response: Response,
  idText: string,
): Promise<Heard> {
  if (!isStream(response)) {
    const bytes = await client.patiently(bytesOf(response));
    if (bytes === null) return tooLarge;
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    if (!round.passes(text) && answers(text, idText))
      return { kind: "answer", text, from: { kind: "body", bytes } };
    // A stream has begun, because the server took its time: what fits in it is passed on there.
    if (client.streams() && answers(text, idText)) {
      await client.write(messageEvent(text));
      return { kind: "passed" };
    }
    if (client.streams()) return failed("Its answer is no JSON-RPC response.", response.status);
    const { status, headers } = response;
    client.answer(new Response(bytes, { status, headers: returnedHeaders(headers) }));
    return { kind: "passed" };
  }
  client.begin(returnedHeaders(response.headers));
  const blocks = blocksOf(response);
  for (let next = await blocks.next(); next.done !== true; next = await blocks.next()) {
    const block = next.value;
    const { data } = block;
    if (block.raw.byteLength > mostHeldBytes) return tooLarge;
    if (data !== null && !round.passes(data) && answers(data, idText))
      return { kind: "answer", text: data, from: { kind: "stream", block, rest: blocks } };
    await client.write(block.raw);
    if (gone.aborted) return { kind: "failed", refusal: { reason: "cancelled" } };
  }
  // Its own client would be left without an answer as well.
  return round.repeated() ? failed("Its stream ended without an answer.") : { kind: "passed" };
}

export async function relay(relaying: Relaying): Promise<void> {
  const { round, client, gone } = relaying;
  const refused = async (refusal: Refusal, requestId: string | null): Promise<void> => {
    if (!client.streams()) return client.answer(await relaying.refuse(refusal, requestId));
    await client.write(messageEvent(relaying.refusalText(refusal, requestId)));
    client.end();
  };
  let current = round.first;
  for (;;) {
    const sent = await client.patiently(relaying.send(current.text));
    if (!sent.ok) return refused(sent.error, null);
    const response = sent.value;
    let heard: Heard;
    try {
      heard = await hear(relaying, response, current.idText);
    } catch {
      heard = gone.aborted
        ? { kind: "failed", refusal: { reason: "cancelled" } }
        : failed("Its answer broke off.", response.status);
    }
    if (heard.kind === "passed") return client.end();
    if (heard.kind === "failed") return refused(heard.refusal, null);
    const headers = returnedHeaders(response.headers);
    const step: Step = await client.during(round.hear(heard.text, gone), headers);
    switch (step.kind) {
      case "send":
        current = step;
        continue;
      case "refuse":
        return refused(step.refusal, step.requestId);
      case "deliver": {
        const { from, text } = heard;
        const same = step.text === text;
        if (!client.streams()) {
          const body = same && from.kind === "body" ? from.bytes : step.text;
          return client.answer(new Response(body, { status: response.status, headers }));
        }
        if (from.kind === "body") await client.write(messageEvent(step.text));
        else if (!same) await client.write(withData(from.block, step.text));
        else {
          // Nothing was hidden, so nothing is: what follows the answer goes on too.
          await client.write(from.block.raw);
          await passRest(from.rest, client);
        }
        return client.end();
      }
    }
  }
}
