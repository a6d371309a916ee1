/** Reads the bodies of requests, up to a bound. */
import type { ClientMessage } from "../domain/ports/client-message.ts";
import type { UpstreamAnswer } from "../domain/ports/upstream.ts";
import { readBounded } from "../domain/bounded-body.ts";
import { concatenated } from "../domain/bytes.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { Refusal } from "../domain/refusals.ts";
import { createStructureCounter, structureFault } from "./structure.ts";

/** Larger than what any provider takes inline, images included. A Worker holds a body several times in its 128 MB. */
export const maxBodyBytes = 12 * 1024 * 1024;

/** What a body may be. Any depth up to `mostMembers` is parsed fast; fewer levels are for those who walk what was parsed. */
export interface BodyBounds {
  mostBytes: number;
  /** null: levels and members aren't counted while the body is read */
  mostLevels: number | null;
}

/** Messages of MCP: sampling with images, tools with files, answers with either. */
export const messageBounds: BodyBounds = { mostBytes: maxBodyBytes, mostLevels: Infinity };

/** Messages that may pass unread. Whoever parses one counts it first. */
export const proxiedBounds: BodyBounds = { mostBytes: maxBodyBytes, mostLevels: null };

/** A parsed body takes many times its size, so a larger one is read only for callers whose key is known. */
const mostUnknownBytes = 64 * 1024;

export const needsKnownCaller = (request: Pick<ClientMessage, "headers" | "body">): boolean =>
  // The body is asked for last: on Node, the adapter makes a stream of it only then.
  (declaredBytes(request) ?? Infinity) > mostUnknownBytes && request.body !== null;

/**
 * A body of unknown length that is too large is read to its end and dropped, up to this size. A caller that is cut off while
 * it sends would see a broken connection and not the refusal.
 */
const drainBytes = 64 * 1024 * 1024;

/** The length that a message declares, to which HTTP holds its body; null: it declares none. */
export function declaredBytes({
  headers,
}: {
  headers: Pick<UpstreamAnswer["headers"], "get" | "has">;
}): number | null {
  const declared = headers.get("Content-Length");
  // A body that `fetch` has decoded is longer than what was sent.
  return declared === null || headers.has("Content-Encoding") ? null : Number(declared);
}

/** What a refusal of a body by `isPlainUtf8` asks for. */
export const plainJson = "application/json in UTF-8, without a content coding";

/** Whether a body's bytes are its text in UTF-8. Whoever reads another charset or a coding so reads another message. */
export function isPlainUtf8(headers: Pick<UpstreamAnswer["headers"], "get">): boolean {
  const coding = headers.get("Content-Encoding") ?? "identity";
  const charset = /;\s*charset\s*=\s*"?([^";]*)/i.exec(headers.get("Content-Type") ?? "")?.[1];
  return /^(identity)?$/i.test(coding.trim()) && /^utf-?8$/i.test((charset ?? "utf-8").trim());
}

/** Where nothing says how long a body is, or it is large, the text is counted while it comes. */
async function readPieces(
  body: ReadableStream<Uint8Array> | null,
  { mostBytes, mostLevels }: BodyBounds,
): Promise<Result<Uint8Array<ArrayBuffer>, Refusal>> {
  const counter = mostLevels === null ? null : createStructureCounter(mostLevels);
  let pieces: Uint8Array[] = [];
  let size = 0;
  let refusal: Refusal | null = null;
  const reader = body?.getReader();
  for (;;) {
    const next = await reader?.read().catch(() => null);
    if (next === null) refusal ??= brokenOff;
    if (next === null || next === undefined || next.done) break;
    size += next.value.byteLength;
    if (size > mostBytes) refusal ??= { reason: "payload_too_large", limitBytes: mostBytes };
    refusal ??= misbuilt(counter?.push(next.value) ?? null);
    if (refusal === null) pieces.push(next.value);
    else pieces = [];
    if (size > drainBytes) {
      await reader?.cancel();
      break;
    }
  }
  return refusal === null ? ok(concatenated(pieces)) : err(refusal);
}

/** Its sender has left. Nobody reads this, and it is no fault of the router. */
const brokenOff: Refusal = { reason: "bad_request", detail: "The body broke off." };

/** @param detail what is wrong with how the body is built; null: nothing is */
const misbuilt = (detail: string | null): Refusal | null =>
  detail === null ? null : { reason: "bad_request", detail };

/** A small body that no JSON reader gets, such as a form's. One that is too large is not read to its end. */
export async function readSmallBody(
  request: Pick<ClientMessage, "body">,
  mostBytes: number,
): Promise<Result<Uint8Array<ArrayBuffer>, Refusal>> {
  try {
    const bytes = await readBounded(request.body, mostBytes);
    return bytes === null ? err({ reason: "payload_too_large", limitBytes: mostBytes }) : ok(bytes);
  } catch {
    return err(brokenOff);
  }
}

const structureRefusal = (bytes: Uint8Array, mostLevels: number | null): Refusal | null =>
  mostLevels === null ? null : misbuilt(structureFault(bytes, mostLevels));

/** Why a proxied message isn't parsed; null: it may be. */
export const unparsable = (bytes: Uint8Array): Refusal | null =>
  structureRefusal(bytes, messageBounds.mostLevels);

/** A body within its bounds, which nothing has parsed yet. */
export async function readBody(
  request: Pick<ClientMessage, "headers" | "body" | "arrayBuffer">,
  bounds: BodyBounds,
): Promise<Result<Uint8Array<ArrayBuffer>, Refusal>> {
  const { mostBytes, mostLevels } = bounds;
  const declared = declaredBytes(request);
  // What is not read, the host drops while it comes.
  if (declared !== null && declared > mostBytes)
    return err({ reason: "payload_too_large", limitBytes: mostBytes });
  if (declared === null || declared > mostUnknownBytes) return readPieces(request.body, bounds);
  // One read is much cheaper than many reads.
  const bytes = new Uint8Array(await request.arrayBuffer().catch(() => new ArrayBuffer(0)));
  const refusal = bytes.byteLength === declared ? structureRefusal(bytes, mostLevels) : brokenOff;
  return refusal === null ? ok(bytes) : err(refusal);
}
