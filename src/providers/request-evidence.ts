/**
 * What is known of a provider's HTTP request beside its answer: whether the request left at all, and
 * with which status it was answered. No provider charges for a request that did not arrive whole.
 */
import { isUnsent } from "../domain/network-fault.ts";
import type { RecentAnswer } from "./recent-answers.ts";

/**
 * A body is sent in so many pieces. The runtime takes three before the connection stands, so the last one shows that it
 * does. Each piece costs a turn of the runtime, so there are no more.
 */
const pieces = 4;

/**
 * Statuses under 400 for which nothing was generated: no content, not modified, elsewhere, another
 * protocol.
 */
const saysNothing = (status: number): boolean =>
  status < 200 || status === 204 || status === 205 || (status >= 300 && status < 400);

/**
 * The Workers runtime's own class: a stream whose length is announced, so that the request is not
 * chunked.
 */
type FixedLength = new (length: number) => TransformStream<Uint8Array, Uint8Array>;

const fixedLengthOf = (globals: object): FixedLength | null => {
  const made: unknown = Reflect.get(globals, "FixedLengthStream");
  return typeof made === "function" ? (made as FixedLength) : null;
};

export interface RequestEvidence {
  fetch: typeof fetch;
  /**
   * True if no request of this fetch can have been billed: none arrived whole, or all were answered
   * with nothing.
   */
  surelyFree(): boolean;
}

export interface EvidenceOptions {
  /** absent: nothing is known of requests before */
  recent?: RecentAnswer | undefined;
  /** where the runtime's own class is; absent: the global names */
  globals?: object;
}

/** Writes the whole body, piece by piece, and calls `done` once the last piece was taken. */
async function feed(
  bytes: Uint8Array,
  writable: WritableStream<Uint8Array>,
  done: () => void,
): Promise<void> {
  const writer = writable.getWriter();
  const size = Math.max(1, Math.ceil(bytes.byteLength / pieces));
  // All are queued at once: to wait for each costs a turn of the isolate. What fails one fails the last one too.
  let last: Promise<void> | undefined;
  for (let from = 0; from < bytes.byteLength; from += size) {
    last = writer.write(bytes.subarray(from, from + size));
    last.catch(() => undefined);
  }
  await last;
  done();
  await writer.close();
}

/** null: there is nothing to send in pieces */
function bytesOf(body: unknown): Uint8Array | null {
  if (typeof body === "string") return body === "" ? null : new TextEncoder().encode(body);
  return body instanceof Uint8Array ? body : null;
}

/**
 * A fetch that keeps the evidence of its requests.
 *
 * In the Workers runtime a refused connection, an unknown host and a failed TLS handshake look like a
 * connection that was lost while the provider was at work: "Network connection lost." or "internal
 * error", without a code. The request's body tells them apart, since only a connection that stands
 * takes the body to its end. Where the runtime has no stream of a fixed length, errors have codes, and
 * `faults.ts` reads those.
 *
 * The pieces are a tenth of what a small request costs. An endpoint that answered a moment ago is sent the body whole,
 * without evidence: if that request fails, it may have been billed, and the next body goes in pieces.
 */
export function withEvidence(
  call: typeof fetch,
  { recent, globals = globalThis }: EvidenceOptions = {},
): RequestEvidence {
  const FixedLengthStream = fixedLengthOf(globals);
  let mayBeBilled = false;
  let asked = false;
  return {
    surelyFree: () => asked && !mayBeBilled,
    async fetch(input, init) {
      asked = true;
      let wasSent = true;
      let sent = init;
      const bytes = bytesOf(init?.body);
      if (FixedLengthStream !== null && bytes !== null && recent?.isRecent() !== true) {
        wasSent = false;
        const { readable, writable } = new FixedLengthStream(bytes.byteLength);
        // Writing fails when the request fails, and the request reports that by itself.
        feed(bytes, writable, () => (wasSent = true)).catch(() => undefined);
        sent = { ...init, body: readable };
      }
      try {
        const response = await call(input, sent);
        recent?.answered();
        if (response.status < 400 && !saysNothing(response.status)) mayBeBilled = true;
        return response;
      } catch (thrown) {
        recent?.failed();
        if (wasSent && !isUnsent(thrown)) mayBeBilled = true;
        throw thrown;
      }
    },
  };
}
