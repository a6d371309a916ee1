/** Output of a client's stream: a web stream or the host's connection, buffered until the host calls `stream` or `pipe`. */
import type { BodySink, ClientBody } from "../../domain/ports/client-answer.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Buffered bytes at which writers wait for a slow client. */
export const readAheadBytes = 64 * 1024;

interface Source {
  resume(): void;
  cancel(): void | Promise<void>;
}

export interface Output extends BodySink {
  body: ClientBody;
  hasRoom(): boolean;
  isDrained(): boolean;
}

type Destination = Pick<Output, "write" | "end" | "fail" | "hasRoom" | "isDrained">;

function streamDestination(source: Source): {
  destination: Destination;
  stream: ReadableStream<Bytes>;
} {
  let controller: ReadableStreamDefaultController<Bytes> | null = null;
  const stream = new ReadableStream<Bytes>(
    {
      start: (opened) => void (controller = opened),
      pull: source.resume,
      cancel: source.cancel,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: readAheadBytes }),
  );
  // The constructor calls `start` synchronously.
  const opened = controller as unknown as ReadableStreamDefaultController<Bytes>;
  const room = (): number => opened.desiredSize ?? 0;
  const destination: Destination = {
    write(bytes) {
      opened.enqueue(bytes);
      return room() > 0;
    },
    end: () => opened.close(),
    fail: (reason) => opened.error(reason),
    hasRoom: () => room() > 0,
    isDrained: () => room() === readAheadBytes,
  };
  return { destination, stream };
}

/** The host's `resume` sets `state.hasRoom` again. */
function sinkDestination(sink: BodySink, state: { hasRoom: boolean }): Destination {
  return {
    write: (bytes) => (state.hasRoom = sink.write(bytes)),
    end: sink.end,
    fail: sink.fail,
    hasRoom: () => state.hasRoom,
    isDrained: () => state.hasRoom,
  };
}

function createBuffer(): { destination: Destination; flushTo: (destination: Destination) => void } {
  const pieces: Bytes[] = [];
  let size = 0;
  let finish: ((destination: Destination) => void) | null = null;
  const destination: Destination = {
    write(bytes) {
      pieces.push(bytes);
      size += bytes.byteLength;
      return size < readAheadBytes;
    },
    end: () => void (finish ??= (to) => to.end()),
    fail: (reason) => void (finish ??= (to) => to.fail(reason)),
    hasRoom: () => size < readAheadBytes,
    isDrained: () => size === 0,
  };
  return {
    destination,
    flushTo(to) {
      for (const piece of pieces) to.write(piece);
      finish?.(to);
    },
  };
}

export function createOutput(source: Source): Output {
  const buffer = createBuffer();
  let destination = buffer.destination;
  const switchTo = (next: Destination): void => {
    destination = next;
    buffer.flushTo(next);
    if (next.hasRoom()) source.resume();
  };
  return {
    body: {
      stream() {
        const { destination: next, stream } = streamDestination(source);
        switchTo(next);
        return stream;
      },
      pipe(sink) {
        const state = { hasRoom: true };
        switchTo(sinkDestination(sink, state));
        return {
          resume() {
            state.hasRoom = true;
            source.resume();
          },
          cancel: () => void source.cancel(),
        };
      },
    },
    write: (bytes) => destination.write(bytes),
    end: () => destination.end(),
    fail: (reason) => destination.fail(reason),
    hasRoom: () => destination.hasRoom(),
    isDrained: () => destination.isDrained(),
  };
}
