/** A response body without a web stream, which costs several promises for each piece. */
import { concatenated } from "../../domain/bytes.ts";

type Bytes = Uint8Array<ArrayBuffer>;
type Read = { done: false; value: Bytes } | { done: true; value: undefined };

/** Bytes buffered for a slow reader before the connection is paused. */
const readAheadBytes = 2 * 1024;
const over: Read = { done: true, value: undefined };

export interface AnswerBody extends AsyncIterable<Bytes> {
  getReader(options?: { mode?: string }): {
    read(): Promise<Read>;
    cancel(reason?: unknown): Promise<void>;
    releaseLock(): void;
  };
  cancel(reason?: unknown): Promise<void>;
}

export interface ArrivingBody {
  body: AnswerBody;
  /** False: pause the connection until `resume` is called. */
  push(bytes: Bytes): boolean;
  end(): void;
  fail(cause: unknown): void;
}

export function createAnswerBody(connection: {
  resume: () => void;
  cancel: (reason: unknown) => void;
}): ArrivingBody {
  const pieces: Bytes[] = [];
  let size = 0;
  let ended: { how: "whole" } | { how: "failed"; cause: unknown } | null = null;
  let reader: PromiseWithResolvers<Read> | null = null;
  let isHeldUp = false;

  const taken = (): Bytes | null => {
    const [first, ...more] = pieces;
    if (first === undefined) return null;
    const value = more.length === 0 ? first : concatenated(pieces);
    pieces.length = 0;
    size = 0;
    if (isHeldUp) {
      isHeldUp = false;
      connection.resume();
    }
    return value;
  };
  /** After the turn in which a piece arrived: a packet may hold many, and each read costs promises. */
  const deliver = (): void => {
    if (reader === null) return;
    const value = taken();
    if (value === null) return;
    reader.resolve({ done: false, value });
    reader = null;
  };
  const read = (): Promise<Read> => {
    const value = taken();
    if (value !== null) return Promise.resolve({ done: false, value });
    if (ended?.how === "failed") return Promise.reject(ended.cause);
    if (ended !== null) return Promise.resolve(over);
    reader ??= Promise.withResolvers();
    return reader.promise;
  };
  const cancel = async (reason?: unknown): Promise<void> => {
    const wasOver = ended !== null;
    ended = { how: "whole" };
    pieces.length = 0;
    reader?.resolve(over);
    reader = null;
    if (!wasOver) connection.cancel(reason);
  };
  return {
    body: {
      getReader(options) {
        if (options?.mode !== undefined) throw new TypeError("not a byte stream");
        return { read, cancel, releaseLock: () => {} };
      },
      cancel,
      [Symbol.asyncIterator]: () => ({
        next: read,
        async return() {
          await cancel();
          return over;
        },
      }),
    },
    push(bytes) {
      // undici gives an empty piece when it resumes. Read as such, it stalls web streams: their `pull` enqueues nothing.
      if (ended !== null || bytes.byteLength === 0) return true;
      if (reader !== null && pieces.length === 0) queueMicrotask(deliver);
      pieces.push(bytes);
      size += bytes.byteLength;
      // A waiting reader takes all of it in the next microtask.
      isHeldUp = reader === null && size >= readAheadBytes;
      return !isHeldUp;
    },
    end() {
      ended ??= { how: "whole" };
      if (pieces.length === 0) reader?.resolve(over);
    },
    fail(cause) {
      deliver();
      ended ??= { how: "failed", cause };
      pieces.length = 0;
      reader?.reject(cause);
    },
  };
}
