/** Whether a provider's request left, and its status. An incomplete request is not billed. */
import { isUnsent } from "../domain/network-fault.ts";
import type { RecentAnswer } from "./recent-answers.ts";

/**
 * The runtime takes three pieces before a connection exists, so the fourth proves it. Each costs a turn of the
 * event loop.
 */
const pieces = 4;

/** Statuses below 400 without generated content. */
const isUninformative = (status: number): boolean =>
  status < 200 || status === 204 || status === 205 || (status >= 300 && status < 400);

/** The Workers runtime's stream with a declared length, which avoids chunking. */
type FixedLength = new (length: number) => TransformStream<Uint8Array, Uint8Array>;

const fixedLengthOf = (globals: object): FixedLength | null => {
  const made: unknown = Reflect.get(globals, "FixedLengthStream");
  return typeof made === "function" ? (made as FixedLength) : null;
};

export interface RequestEvidence {
  fetch: typeof fetch;
  /** `true` if no request can have been billed. */
  surelyFree(): boolean;
}

export interface EvidenceOptions {
  recent?: RecentAnswer | undefined;
  globals?: object;
}

/** Calls `done` once the last piece was taken. */
async function feed(
  bytes: Uint8Array,
  writable: WritableStream<Uint8Array>,
  done: () => void,
): Promise<void> {
  const writer = writable.getWriter();
  const size = Math.max(1, Math.ceil(bytes.byteLength / pieces));
  // Queued together: awaiting each costs a turn of the event loop.
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
 * On Workers, a refused connection, an unknown host, and a failed TLS handshake look like a connection lost
 * during the call ("Network connection lost.", "internal error"). Only an established connection takes the
 * whole body, so the body is sent in pieces. On Node, errors have codes, see `faults.ts`.
 *
 * Pieces cost a tenth of a small request, so an endpoint that answered recently gets the body whole; if that
 * request fails, it may have been billed.
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
      const bytes =
        FixedLengthStream === null || recent?.isRecent() === true ? null : bytesOf(init?.body);
      if (FixedLengthStream !== null && bytes !== null) {
        wasSent = false;
        const { readable, writable } = new FixedLengthStream(bytes.byteLength);
        // The request itself reports the failure.
        feed(bytes, writable, () => (wasSent = true)).catch(() => undefined);
        sent = { ...init, body: readable };
      }
      try {
        const response = await call(input, sent);
        recent?.answered();
        if (response.status < 400 && !isUninformative(response.status)) mayBeBilled = true;
        return response;
      } catch (thrown) {
        recent?.failed();
        if (wasSent && !isUnsent(thrown)) mayBeBilled = true;
        throw thrown;
      }
    },
  };
}
