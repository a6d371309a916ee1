/**
 * An event stream to a client: the one place that writes comments, holds back for a slow reader, notices that the
 * client has left, and says the last word. The runtime notices a client's leaving when it writes, and not before,
 * so a stream that stands still is written to now and then.
 */
import type { ClientBody } from "../../domain/ports/client-answer.ts";
import { createOutput, type Output } from "./client-output.ts";
import { sseKeepAlive } from "./write.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const tickMs = 1_000;

export interface ClientStream {
  /** Begins the body; to be called once. What is written before goes nowhere. */
  open(): ClientBody;
  /** Resolves when there is room for more, or when nobody reads any more. */
  write(bytes: Bytes | string): Promise<void>;
  /** Writes a comment, if the client has room for the comment and no event is half written. */
  comment(): void;
  /** Writes the last word, if there is one, and ends the body. Waits for nobody. */
  end(last?: string): void;
  /** Ends the body as one that broke off. */
  fail(reason: unknown): void;
  /** The client has left, or takes no body. Nothing more is written, and the body stays as it is. */
  leave(): void;
  /** Nothing more is written: the stream has ended, or its client has left. */
  isOver(): boolean;
}

/** Who holds what the stream belongs to. */
export interface StreamOwner {
  /** The body has begun. */
  began(): void;
  /** Called every second while the body is open. `close` ends the body, and whatever fills it. */
  tick(close: () => void): void;
  /** The stream is over, whoever ended it. */
  ended(): void;
  /** The client has left, or has to be left. */
  left(): void;
}

export interface ClientStreamOptions {
  /** A comment comes after so many seconds without a word. Asked once a second. */
  silentTicks: () => number;
  /** Said every second in which a comment is due. false: there is no body to write it to. */
  beforeComment?: () => boolean;
  /** Whether what was written last ends between events. Absent: it always does. */
  mayComment?: () => boolean;
  /** The client has left. */
  left?: () => void | Promise<void>;
  /** The stream is over, whoever ended it. */
  ended?: () => void;
  /** null: nobody holds anything */
  owner?: StreamOwner | null;
}

const room = Promise.resolve();
const lineFeed = 0x0a;
/** A comment without an end of its own, which ends no event that has begun (HTML, 9.2.6). */
const commentInEvent = ": keep-alive\n";
/** Seconds after which an event that stands still between two lines gets a comment… */
const halfOutTicks = 4;
/** …and after which a stream is given up that stands still within a line, where nothing can be written. */
const standstillTicks = 30;

export function createClientStream(options: ClientStreamOptions): ClientStream {
  const { silentTicks, beforeComment, mayComment, left, ended, owner = null } = options;
  const encoder = new TextEncoder();
  /** null: the body has not begun */
  let output: Output | null = null;
  let isOver = false;
  let silent = 0;
  let lastByte = lineFeed;
  /** resolves when the client has read on; null: no writer waits for that */
  let full: PromiseWithResolvers<void> | null = null;

  const readOn = (): void => {
    full?.resolve();
    full = null;
  };
  const stop = (): void => {
    if (isOver) return;
    isOver = true;
    clearInterval(timer);
    readOn();
    ended?.();
    owner?.ended();
  };
  const leave = async (): Promise<void> => {
    stop();
    owner?.left();
    try {
      await left?.();
    } catch {
      // The owner may have ended the server's answer just now, and a web stream that has failed refuses to be cancelled.
      // Nobody is left who could be told.
    }
  };
  // A client that reads nothing needs no more of it.
  const hasRoom = (): boolean => output?.hasRoom() ?? false;
  const enqueue = (bytes: Bytes | string): void => {
    silent = 0;
    if (isOver || output === null) return;
    const encoded = typeof bytes === "string" ? encoder.encode(bytes) : bytes;
    lastByte = encoded.at(-1) ?? lastByte;
    output.write(encoded);
  };
  const comment = (): void => {
    if (!isOver && hasRoom() && (mayComment?.() ?? true)) enqueue(sseKeepAlive);
  };
  const fail = (reason: unknown): void => {
    if (!isOver) output?.fail(reason);
    stop();
  };
  /** An event is half out, and its client waits for the rest of the event: by writing, the runtime finds out. */
  const writeInEvent = (): void => {
    if (output?.isTaken() !== true || silent < halfOutTicks) return;
    if (lastByte === lineFeed) enqueue(commentInEvent);
    else if (silent >= standstillTicks) {
      fail(new Error("The server's answer stands still."));
      void leave();
    }
  };
  const close = (): void => {
    if (isOver) return;
    output?.end();
    void leave();
  };
  const timer = setInterval(() => {
    silent += 1;
    if (silent >= silentTicks() && (beforeComment?.() ?? true)) comment();
    if (owner === null || output === null || isOver) return;
    if (mayComment?.() === false) writeInEvent();
    owner.tick(close);
  }, tickMs);

  return {
    open() {
      owner?.began();
      const opened = createOutput({ readOn, cancel: leave });
      output = opened;
      return opened.body;
    },
    write(bytes) {
      enqueue(bytes);
      if (output === null || isOver || hasRoom()) return room;
      full ??= Promise.withResolvers<void>();
      return full.promise;
    },
    comment,
    end(last = "") {
      if (last !== "") enqueue(last);
      if (!isOver) output?.end();
      stop();
    },
    fail,
    leave: stop,
    isOver: () => isOver,
  };
}
