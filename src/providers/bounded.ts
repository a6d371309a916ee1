/** `fetch` with a limit on the decompressed size of answers. */
import { InvalidResponseDataError } from "@ai-sdk/provider";
import type { CallSlot } from "../domain/sampling/call-slot.ts";
import { concatenated } from "../domain/bytes.ts";
import { boundedStream } from "../domain/bounded-body.ts";
import { answerTooLarge } from "./faults.ts";
import type { Overlong } from "./overlong-rows.ts";
import { readAnswer } from "./read-answer.ts";
import { maxMediaBytes } from "./media.ts";

const mebibyte = 1024 * 1024;

/** Decompressed bytes of one answer. */
export const maxAnswerBytes: Readonly<Record<Overlong, number>> = {
  /** A million tokens of text as JSON, more than any model writes. */
  text: 4 * mebibyte,
  /** Base64 media and the surrounding JSON. */
  media: Math.ceil((maxMediaBytes / 3) * 4) + mebibyte,
};

export const maxErrorBytes = 256 * 1024;

/** `null` if `fetch` decompressed the body. */
function lengthOf({ headers }: Response): number | null {
  const length = headers.get("content-length");
  const coding = headers.get("content-encoding") ?? "identity";
  return length === null || coding !== "identity" ? null : Number(length);
}

/** Longer successes fail; longer errors are cut. */
export function boundedFetch(inner: typeof fetch, what: Overlong): typeof fetch {
  return async (input, init) => {
    const response = await inner(input, init);
    if (response.body === null) return response;
    const maxBytes = response.ok ? maxAnswerBytes[what] : maxErrorBytes;
    const length = lengthOf(response);
    if (length !== null && length <= maxBytes) return response;
    if (response.ok && Number(response.headers.get("content-length") ?? 0) > maxBytes) {
      await response.body.cancel();
      throw answerTooLarge(what);
    }
    const counted = boundedStream(response.body, {
      maxBytes,
      exceeded: response.ok ? () => answerTooLarge(what) : "cut",
    });
    const headers = new Headers(response.headers);
    // These headers describe the compressed body.
    headers.delete("content-encoding");
    headers.delete("content-length");
    return new Response(counted, { status: response.status, headers });
  };
}

/** Statuses without a body. */
const bodiless = new Set([101, 204, 205, 304]);

/** Bytes between yields. Most answers are shorter. */
const readAtOnce = 128 * 1024;

async function readAll(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  yieldSlot: () => Promise<void>,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let sinceWay = 0;
  for await (const part of body) {
    parts.push(part);
    sinceWay += part.byteLength;
    if (sinceWay <= readAtOnce) continue;
    // Unpacking blocks the thread.
    sinceWay = 0;
    await yieldSlot();
  }
  const [only, ...more] = parts;
  return only !== undefined && more.length === 0 ? only : concatenated(parts);
}

/** The Workers runtime takes a turn of the event loop per part, so short answers are read in one go. */
async function bodyOf(
  response: Response,
  yieldSlot: () => Promise<void>,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const { body } = response;
  if (body === null) return null;
  const isShort = (lengthOf(response) ?? Infinity) <= readAtOnce;
  return isShort && body instanceof ReadableStream
    ? new Uint8Array(await response.arrayBuffer())
    : readAll(body, yieldSlot);
}

/** Reads the whole answer, and releases the scheduling slot meanwhile. Without a slot, no other caller waits. */
export function readOutsideSlot(
  inner: typeof fetch,
  outside: CallSlot["outside"] = (wait) => wait(async () => {}),
): typeof fetch {
  return (input, init) =>
    outside(async (yieldSlot) => {
      const response = await inner(input, init);
      const { status, headers } = response;
      const body = await bodyOf(response, yieldSlot);
      return readAnswer({ status, headers, body: bodiless.has(status) ? null : body });
    });
}

/** Blocks media links in answers: some libraries would fetch them, at any address and with the tenant's key. */
export function boundedMediaFetch(inner: typeof fetch, baseUrl: string): typeof fetch {
  const { origin } = new URL(baseUrl);
  const bounded = boundedFetch(inner, "media");
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== origin)
      throw new InvalidResponseDataError({ data: null, message: "A link instead of media." });
    return bounded(input, init);
  };
}
