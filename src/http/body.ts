/** Bodies, bounded. */
import { err, ok, type Result } from "../domain/result.ts";
import type { Refusal } from "../domain/refusals.ts";

/** Larger than what any provider takes inline; a Worker holds a body several times in its 128 MB. */
export const maxBodyBytes = 12 * 1024 * 1024;

const tooLarge: Refusal = { reason: "payload_too_large", limitBytes: maxBodyBytes };

/** Reads at most `maxBodyBytes`; what the header announces too large is refused unread. */
export async function readBody(
  request: Request,
): Promise<Result<Uint8Array<ArrayBuffer>, Refusal>> {
  if (Number(request.headers.get("content-length") ?? 0) > maxBodyBytes) return err(tooLarge);
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body?.getReader();
  for (;;) {
    const next = await reader?.read().catch(() => ({ done: true, value: undefined }) as const);
    if (next === undefined || next.done) break;
    size += next.value.byteLength;
    if (size > maxBodyBytes) {
      await reader?.cancel();
      return err(tooLarge);
    }
    chunks.push(next.value);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return ok(bytes);
}
