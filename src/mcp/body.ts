import type { ClientMessage } from "../domain/ports/client-message.ts";
import type { UpstreamAnswer } from "../domain/ports/upstream.ts";
import { readBounded } from "../domain/bounded-body.ts";
import { concatenated } from "../domain/bytes.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { Refusal } from "../domain/refusals.ts";
import { createStructureCounter, structureFault } from "./structure.ts";

/** More than any provider accepts inline. A Worker holds a body several times in its 128 MB. */
export const maxBodyBytes = 12 * 1024 * 1024;

/** `maxLevels` protects code that walks the parsed value. */
export interface BodyBounds {
  maxBytes: number;
  /** `null`: structure isn't counted while reading */
  maxLevels: number | null;
}

/** Sampling with images, tools with files, answers with either. */
export const messageBounds: BodyBounds = { maxBytes: maxBodyBytes, maxLevels: Infinity };

/** For messages that may pass unparsed; count the structure before parsing one. */
export const proxiedBounds: BodyBounds = { maxBytes: maxBodyBytes, maxLevels: null };

/** A parsed body takes many times its size, so larger ones are read only for known keys. */
const maxUnknownBytes = 64 * 1024;

/** Bytes to admit before the body is read; `null` if anyone may send it. */
export function bytesToAdmit(request: Pick<ClientMessage, "headers" | "body">): number | null {
  const declared = declaredBytes(request);
  // Accessed last: Node's adapter creates the stream on access.
  return (declared ?? Infinity) > maxUnknownBytes && request.body !== null
    ? Math.min(declared ?? maxBodyBytes, maxBodyBytes)
    : null;
}

/** Bytes of an oversized body to drain, so that the sender receives the refusal instead of a broken connection. */
const drainBytes = 64 * 1024 * 1024;

export function declaredBytes({
  headers,
}: {
  headers: Pick<UpstreamAnswer["headers"], "get" | "has">;
}): number | null {
  const declared = headers.get("Content-Length");
  // `fetch` has decoded the body.
  return declared === null || headers.has("Content-Encoding") ? null : Number(declared);
}

export const plainJson = "application/json in UTF-8, without a content coding";

/** Another charset or coding could be read as another message. */
export function isPlainUtf8(headers: Pick<UpstreamAnswer["headers"], "get">): boolean {
  const coding = headers.get("Content-Encoding") ?? "identity";
  const charset = /;\s*charset\s*=\s*"?([^";]*)/i.exec(headers.get("Content-Type") ?? "")?.[1];
  return /^(identity)?$/i.test(coding.trim()) && /^utf-?8$/i.test((charset ?? "utf-8").trim());
}

/** Counts the structure while a large body, or one of unknown length, arrives. */
async function readPieces(
  body: ReadableStream<Uint8Array> | null,
  { maxBytes, maxLevels }: BodyBounds,
): Promise<Result<Uint8Array<ArrayBuffer>, Refusal>> {
  const counter = maxLevels === null ? null : createStructureCounter(maxLevels);
  let pieces: Uint8Array[] = [];
  let size = 0;
  let refusal: Refusal | null = null;
  const reader = body?.getReader();
  for (;;) {
    const next = await reader?.read().catch(() => null);
    if (next === null) refusal ??= brokenOff;
    if (next === null || next === undefined || next.done) break;
    size += next.value.byteLength;
    if (size > maxBytes) refusal ??= { reason: "payload_too_large", limitBytes: maxBytes };
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

const brokenOff: Refusal = { reason: "bad_request", detail: "The body broke off." };

const misbuilt = (detail: string | null): Refusal | null =>
  detail === null ? null : { reason: "bad_request", detail };

export async function readSmallBody(
  request: Pick<ClientMessage, "body">,
  maxBytes: number,
): Promise<Result<Uint8Array<ArrayBuffer>, Refusal>> {
  try {
    const bytes = await readBounded(request.body, maxBytes);
    return bytes === null ? err({ reason: "payload_too_large", limitBytes: maxBytes }) : ok(bytes);
  } catch {
    return err(brokenOff);
  }
}

const structureRefusal = (bytes: Uint8Array, maxLevels: number | null): Refusal | null =>
  maxLevels === null ? null : misbuilt(structureFault(bytes, maxLevels));

export const unparsable = (bytes: Uint8Array): Refusal | null =>
  structureRefusal(bytes, messageBounds.maxLevels);

export async function readBody(
  request: Pick<ClientMessage, "headers" | "body" | "arrayBuffer">,
  bounds: BodyBounds,
): Promise<Result<Uint8Array<ArrayBuffer>, Refusal>> {
  const { maxBytes, maxLevels } = bounds;
  const declared = declaredBytes(request);
  // The host drains the rest.
  if (declared !== null && declared > maxBytes)
    return err({ reason: "payload_too_large", limitBytes: maxBytes });
  if (declared === null || declared > maxUnknownBytes) return readPieces(request.body, bounds);
  // One read is much cheaper than many.
  const bytes = new Uint8Array(await request.arrayBuffer().catch(() => new ArrayBuffer(0)));
  const refusal = bytes.byteLength === declared ? structureRefusal(bytes, maxLevels) : brokenOff;
  return refusal === null ? ok(bytes) : err(refusal);
}

/** Whether `text` is exactly what the bytes say: decoding replaces invalid UTF-8. */
export function isFaithful({ text, bytes }: { text: string; bytes: Uint8Array }): boolean {
  if (!text.includes("\ufffd")) return true;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
