/** Output of a client's stream: a web stream or the host's connection. Buffers until the host has chosen. */
import type { BodySink, ClientBody } from "../../domain/ports/client-answer.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Buffered bytes for a slow client. */
export const readAheadBytes = 64 * 1024;

interface Reader {
  resume(): void;
  cancel(): void | Promise<void>;
}

export interface Output extends BodySink {
  body: ClientBody;
  hasRoom(): boolean;
  isTaken(): boolean;
}

type Place = Pick<Output, "write" | "end" | "fail" | "hasRoom" | "isTaken">;

function streamPlace(reader: Reader): { place: Place; stream: ReadableStream<Bytes> } {
  let controller: ReadableStreamDefaultController<Bytes> | null = null;
  const stream = new ReadableStream<Bytes>(
    {
      start: (opened) => void (controller = opened),
      pull: reader.resume,
      cancel: reader.cancel,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: readAheadBytes }),
  );
  // The constructor has called `start`.
  const opened = controller as unknown as ReadableStreamDefaultController<Bytes>;
  const left = (): number => opened.desiredSize ?? 0;
  const place: Place = {
    write(bytes) {
      opened.enqueue(bytes);
      return left() > 0;
    },
    end: () => opened.close(),
    fail: (reason) => opened.error(reason),
    hasRoom: () => left() > 0,
    isTaken: () => left() === readAheadBytes,
  };
  return { place, stream };
}

/** @param hasRoom set by the host's `resume` */
function sinkPlace(sink: BodySink, state: { hasRoom: boolean }): Place {
  return {
    write: (bytes) => (state.hasRoom = sink.write(bytes)),
    end: sink.end,
    fail: sink.fail,
    hasRoom: () => state.hasRoom,
    isTaken: () => state.hasRoom,
  };
}

function waitingPlace(): { place: Place; giveTo: (place: Place) => void } {
  const pieces: Bytes[] = [];
  let size = 0;
  let over: ((place: Place) => void) | null = null;
  const place: Place = {
    write(bytes) {
      pieces.push(bytes);
      size += bytes.byteLength;
      return size < readAheadBytes;
    },
    end: () => void (over ??= (to) => to.end()),
    fail: (reason) => void (over ??= (to) => to.fail(reason)),
    hasRoom: () => size < readAheadBytes,
    isTaken: () => size === 0,
  };
  return {
    place,
    giveTo(to) {
      for (const piece of pieces) to.write(piece);
      over?.(to);
    },
  };
}

export function createOutput(reader: Reader): Output {
  const waiting = waitingPlace();
  let place = waiting.place;
  const goTo = (next: Place): void => {
    place = next;
    waiting.giveTo(next);
    if (next.hasRoom()) reader.resume();
  };
  return {
    body: {
      stream() {
        const { place: next, stream } = streamPlace(reader);
        goTo(next);
        return stream;
      },
      pipe(sink) {
        const state = { hasRoom: true };
        goTo(sinkPlace(sink, state));
        return {
          resume() {
            state.hasRoom = true;
            reader.resume();
          },
          cancel: () => void reader.cancel(),
        };
      },
    },
    write: (bytes) => place.write(bytes),
    end: () => place.end(),
    fail: (reason) => place.fail(reason),
    hasRoom: () => place.hasRoom(),
    isTaken: () => place.isTaken(),
  };
}
