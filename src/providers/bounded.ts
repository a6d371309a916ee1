/**
 * `fetch` for a provider's answers. Each answer is counted in unpacked bytes while it is read, and
 * reading ends at the bound: one answer without end would take the memory of every tenant's calls.
 */
import { InvalidResponseDataError } from "@ai-sdk/provider";
import type { CallTurn } from "../domain/sampling/call-turn.ts";
import { concatenated } from "../domain/bytes.ts";
import { boundedStream } from "../domain/bounded-body.ts";
import { answerTooLarge } from "./faults.ts";
import type { Overlong } from "./overlong-rows.ts";
import { readAnswer } from "./read-answer.ts";
import { maxMediaBytes } from "./media.ts";

const mebibyte = 1024 * 1024;

/** Unpacked bytes of one answer. */
export const mostAnswerBytes: Readonly<Record<Overlong, number>> = {
  /**
   * A million tokens of text as JSON. The longest output that a model of the catalogue declares is far
   * below.
   */
  text: 4 * mebibyte,
  /** The media as base64, and the rest of the JSON around it. */
  media: Math.ceil((maxMediaBytes / 3) * 4) + mebibyte,
};

/** Bytes of an error. Its status and the beginning of its body say all that the router needs. */
export const mostErrorBytes = 256 * 1024;

/**
 * HTTP holds a body to its declared length, unless a coding was undone; null: no length is known.
 */
function lengthOf({ headers }: Response): number | null {
  const length = headers.get("content-length");
  const coding = headers.get("content-encoding") ?? "identity";
  return length === null || coding !== "identity" ? null : Number(length);
}

/**
 * A success that is longer than the bound makes its reader fail. An error that is longer is cut.
 */
export function boundedFetch(inner: typeof fetch, what: Overlong): typeof fetch {
  return async (input, init) => {
    const response = await inner(input, init);
    if (response.body === null) return response;
    const mostBytes = response.ok ? mostAnswerBytes[what] : mostErrorBytes;
    const length = lengthOf(response);
    if (length !== null && length <= mostBytes) return response;
    if (response.ok && Number(response.headers.get("content-length") ?? 0) > mostBytes) {
      await response.body.cancel();
      throw answerTooLarge(what);
    }
    const counted = boundedStream(response.body, {
      mostBytes,
      exceeded: response.ok ? () => answerTooLarge(what) : "cut",
    });
    const headers = new Headers(response.headers);
    // Both headers describe the body as it travelled, before it was unpacked.
    headers.delete("content-encoding");
    headers.delete("content-length");
    return new Response(counted, { status: response.status, headers });
  };
}

/** Statuses with which no body may stand. */
const bodiless = new Set([101, 204, 205, 304]);

/** Bytes of an answer that are read before the next way is given. Most answers are shorter. */
const readAtOnce = 128 * 1024;

async function readAll(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  giveWay: () => Promise<void>,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let sinceWay = 0;
  for await (const part of body) {
    parts.push(part);
    sinceWay += part.byteLength;
    if (sinceWay <= readAtOnce) continue;
    // Unpacking is work of the one thread that serves everybody.
    sinceWay = 0;
    await giveWay();
  }
  return concatenated(parts);
}

/** A web stream of a short answer is read in one go, since the Workers runtime takes a turn of its own for each part. */
async function bodyOf(
  response: Response,
  giveWay: () => Promise<void>,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const { body } = response;
  if (body === null) return null;
  const isShort = (lengthOf(response) ?? Infinity) <= readAtOnce;
  return isShort && body instanceof ReadableStream
    ? new Uint8Array(await response.arrayBuffer())
    : readAll(body, giveWay);
}

/** A fetch that waits for the whole answer while others have the turn; absent: nobody else waits for one. */
export function readOutside(inner: typeof fetch, outside?: CallTurn["outside"]): typeof fetch {
  if (outside === undefined) return inner;
  return (input, init) =>
    outside(async (giveWay) => {
      const response = await inner(input, init);
      const { status, headers } = response;
      const body = await bodyOf(response, giveWay);
      return readAnswer({ status, headers, body: bodiless.has(status) ? null : body });
    });
}

/**
 * `boundedFetch` for answers that hold media, which may come from the provider alone. Some libraries
 * fetch an image from a link in the answer. The provider could name any address there, and the request
 * may carry the tenant's key.
 */
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
