/** Bounded reading. `fetch` decompresses bodies, and 300 kB of gzip may be 300 MB, so decompressed bytes count. */
import { concatenated } from "./bytes.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Minimum bytes per read, if available: each read costs as much as decompressing a few kB. */
const pieceBytes = 64 * 1024;

interface Source {
  read(): Promise<{ done: boolean; value?: Bytes | undefined }>;
  cancel(reason?: unknown): Promise<void>;
}

interface ReaderAtLeast {
  readAtLeast(minBytes: number, view: Uint8Array): ReturnType<Source["read"]>;
}

const readsAtLeast = (reader: object): reader is ReaderAtLeast => "readAtLeast" in reader;

/**
 * The Workers runtime decompresses 4 kB at a time, which would block the isolate. Elsewhere `min` fails on
 * shorter buffered bodies.
 */
function sourceOf(body: ReadableStream<Uint8Array>): Source {
  const reader = byteReaderOf(body);
  if (reader === null) return body.getReader() as ReadableStreamDefaultReader<Bytes>;
  return {
    read: () => reader.readAtLeast(pieceBytes, new Uint8Array(pieceBytes)),
    cancel: (reason) => reader.cancel(reason),
  };
}

function byteReaderOf(body: ReadableStream): (ReadableStreamBYOBReader & ReaderAtLeast) | null {
  try {
    const reader = body.getReader({ mode: "byob" });
    if (readsAtLeast(reader)) return reader;
    reader.releaseLock();
  } catch {}
  return null;
}

/** Cancels the source after `maxBytes`. @param exceeded the reader's error, or `cut` to end the body normally */
export function boundedStream(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  { maxBytes, exceeded }: { maxBytes: number; exceeded: "cut" | (() => Error) },
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = sourceOf(body);
  let left = maxBytes;
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        let { done, value } = await reader.read();
        // `pull` isn't called again after an empty piece.
        while (!done && value?.byteLength === 0) ({ done, value } = await reader.read());
        const bytes = value ?? new Uint8Array();
        left -= bytes.byteLength;
        if (left < 0) {
          // Not awaited, because a source may be slow to close.
          void reader.cancel().catch(() => undefined);
          if (exceeded !== "cut") return controller.error(exceeded());
        }
        const fits = left < 0 ? bytes.subarray(0, bytes.byteLength + left) : bytes;
        if (fits.byteLength > 0) controller.enqueue(fits);
        if (done || left < 0) controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // No read-ahead: the consumer counts.
    { highWaterMark: 0 },
  );
}

export async function readBounded(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (body === null) return new Uint8Array();
  const reader = sourceOf(body);
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (value !== undefined) parts.push(value);
    size += value?.byteLength ?? 0;
    if (size > maxBytes) {
      void reader.cancel().catch(() => undefined);
      return null;
    }
    if (done) return concatenated(parts);
  }
}
