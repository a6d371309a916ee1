/** Reads the bodies of requests, up to a bound. */
import type { ClientMessage } from "../domain/ports/client-message.ts";
import type { UpstreamAnswer } from "../domain/ports/upstream.ts";
import { concatenated } from "../domain/bytes.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { Refusal } from "../domain/refusals.ts";

/** Larger than what any provider takes inline. A Worker holds a body several times in its 128 MB. */
export const maxBodyBytes = 12 * 1024 * 1024;

/** A parsed body takes many times its size, so a larger one is read only for callers whose key is known. */
const mostUnknownBytes = 64 * 1024;

export const needsKnownCaller = (request: Pick<ClientMessage, "headers" | "body">): boolean =>
  // The body is asked for last: on Node, the adapter makes a stream of it only then.
  (declaredBytes(request) ?? Infinity) > mostUnknownBytes && request.body !== null;

/**
 * A body that is too large is read to its end and dropped, up to this size. A caller that is cut off while it
 * sends would see a broken connection and not the refusal.
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

export async function readBody(
  request: Pick<ClientMessage, "headers" | "body" | "arrayBuffer">,
): Promise<Result<Uint8Array<ArrayBuffer>, Refusal>> {
  // One read is much cheaper than many reads.
  if ((declaredBytes(request) ?? Infinity) <= maxBodyBytes)
    return ok(new Uint8Array(await request.arrayBuffer().catch(() => new ArrayBuffer(0))));
  let chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body?.getReader();
  for (;;) {
    const next = await reader?.read().catch(() => ({ done: true, value: undefined }) as const);
    if (next === undefined || next.done) break;
    size += next.value.byteLength;
    if (size > maxBodyBytes) chunks = [];
    else chunks.push(next.value);
    if (size > drainBytes) {
      await reader?.cancel();
      break;
    }
  }
  if (size > maxBodyBytes) return err({ reason: "payload_too_large", limitBytes: maxBodyBytes });
  return ok(concatenated(chunks));
}
