/** Output of a client's stream: a web stream or the host's connection, buffered until the host calls `stream` or `pipe`. */
import type { BodySink, ClientBody, Piping } from "../../domain/ports/client-answer.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Buffered bytes at which writers wait for a slow client. The host has buffers of its own. */
const readAheadBytes = 2 * 1024;

interface Source {
  resume(): void;
  cancel(): void | Promise<void>;
}

export interface Output extends BodySink {
  body: ClientBody;
  hasRoom(): boolean;
}

type Destination = Pick<Output, "write" | "end" | "fail" | "hasRoom">;

/** The host's `resume` sets `state.hasRoom` again. */
function sinkDestination(sink: BodySink, state: { hasRoom: boolean }): Destination {
  return {
    write: (bytes) => (state.hasRoom = sink.write(bytes)),
    end: sink.end,
    fail: sink.fail,
    hasRoom: () => state.hasRoom,
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
  const pipe = (sink: BodySink): Piping => {
    const state = { hasRoom: true };
    switchTo(sinkDestination(sink, state));
    return {
      resume() {
        state.hasRoom = true;
        source.resume();
      },
      cancel: () => void source.cancel(),
    };
  };
  const stream = (): ReadableStream<Bytes> => {
    let controller: ReadableStreamDefaultController<Bytes> | null = null;
    let piping: Piping | null = null;
    const made = new ReadableStream<Bytes>(
      {
        start: (opened) => void (controller = opened),
        pull: () => piping?.resume(),
        cancel: source.cancel,
      },
      new ByteLengthQueuingStrategy({ highWaterMark: readAheadBytes }),
    );
    // The constructor calls `start` synchronously.
    const opened = controller as unknown as ReadableStreamDefaultController<Bytes>;
    piping = pipe({
      write(bytes) {
        opened.enqueue(bytes);
        return (opened.desiredSize ?? 0) > 0;
      },
      end: () => opened.close(),
      fail: (reason) => opened.error(reason),
    });
    return made;
  };
  return {
    body: { stream, pipe },
    write: (bytes) => destination.write(bytes),
    end: () => destination.end(),
    fail: (reason) => destination.fail(reason),
    hasRoom: () => destination.hasRoom(),
  };
}
