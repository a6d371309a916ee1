/**
 * A body from outside, counted while it is read. `fetch` gives bodies with their content coding undone, so the
 * counted bytes are unpacked: 300 kB of gzip may be 300 MB.
 */
import { concatenated } from "./bytes.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Bytes that are taken at once where as many are there. Each step through JavaScript costs as much as unpacking
 * some kB.
 */
const pieceBytes = 64 * 1024;

interface Source {
  read(): Promise<{ done: boolean; value?: Bytes | undefined }>;
  cancel(reason?: unknown): Promise<void>;
}

/**
 * What the Workers runtime adds to a reader of byte streams: a read that waits for as many bytes as were asked
 * for.
 */
interface ReaderAtLeast {
  readAtLeast(minBytes: number, view: Uint8Array): ReturnType<Source["read"]>;
}

const readsAtLeast = (reader: object): reader is ReaderAtLeast => "readAtLeast" in reader;

/**
 * Reads a byte stream in large pieces. The Workers runtime unpacks 4 kB at a time, so 4 MiB would be a thousand
 * turns, and twelve such answers would stall everybody's calls. Other runtimes give pieces as they were made:
 * the standard's own `min` fails where a body that is there already holds less.
 */
function sourceOf(body: ReadableStream<Uint8Array>): Source {
  const reader = byteReaderOf(body);
  if (reader === null) return body.getReader() as ReadableStreamDefaultReader<Bytes>;
  return {
    read: () => reader.readAtLeast(pieceBytes, new Uint8Array(pieceBytes)),
    cancel: (reason) => reader.cancel(reason),
  };
}

/** null: the body is no byte stream, or the runtime is not Workers */
function byteReaderOf(body: ReadableStream): (ReadableStreamBYOBReader & ReaderAtLeast) | null {
  try {
    const reader = body.getReader({ mode: "byob" });
    if (readsAtLeast(reader)) return reader;
    reader.releaseLock();
  } catch {
    // The body is no byte stream.
  }
  return null;
}

/**
 * The body up to `mostBytes`. The rest is not read: the source is cancelled, which ends its connection.
 *
 * @param exceeded ends what the reader sees: by an error, or as if the body were complete
 */
export function boundedStream(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  { mostBytes, exceeded }: { mostBytes: number; exceeded: "cut" | (() => Error) },
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = sourceOf(body);
  let left = mostBytes;
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        const bytes = value ?? new Uint8Array();
        left -= bytes.byteLength;
        if (left < 0) {
          // Not awaited: a source may be slow to end, and the reader need not wait for it.
          void reader.cancel().catch(() => undefined);
          if (exceeded !== "cut") return controller.error(exceeded());
        }
        const fits = left < 0 ? bytes.subarray(0, bytes.byteLength + left) : bytes;
        if (fits.byteLength > 0) controller.enqueue(fits);
        if (done || left < 0) controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Nothing is read ahead of the reader, who counts.
    { highWaterMark: 0 },
  );
}

/** The whole body; null: the body is longer than `mostBytes`, and its rest is not read. */
export async function readBounded(
  body: ReadableStream<Uint8Array> | null,
  mostBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (body === null) return new Uint8Array();
  const reader = sourceOf(body);
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    // The last piece may come with the end.
    if (value !== undefined) parts.push(value);
    size += value?.byteLength ?? 0;
    if (size > mostBytes) {
      void reader.cancel().catch(() => undefined);
      return null;
    }
    if (done) return concatenated(parts);
  }
}
