/**
 * An event stream to a client: comments, back-pressure, disconnects, and the final message. The runtime notices
 * a disconnect only when writing, so idle streams are written to.
 */
import type { ClientBody } from "../../domain/ports/client-answer.ts";
import { createOutput, type Output } from "./client-output.ts";
import { sseKeepAlive } from "./write.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const tickMs = 1_000;

export interface ClientStream {
  /** Starts the body; call once. Earlier writes are dropped. */
  open(): ClientBody;
  /** Resolves when the buffer has room, or when the stream is over. */
  write(bytes: Bytes | string): Promise<void>;
  /** Writes a keep-alive comment, unless the buffer is full or an event is incomplete. */
  comment(): void;
  /** Doesn't wait for the client. */
  end(last?: string): void;
  /** Ends the body as broken. */
  fail(reason: unknown): void;
  /** Stops writing without ending the body. */
  abandon(): void;
  isOver(): boolean;
}

export interface StreamOwner {
  /** Called every second. `close` ends the body and its source. */
  tick(close: () => void): void;
  ended(): void;
  left(): void;
}

export interface ClientStreamOptions {
  /** Seconds of silence before a comment; read once a second. */
  silentTicks: () => number;
  /** Called each second while a comment is due. Return `false` to suppress the comment. */
  beforeComment?: () => boolean;
  /** Whether the output is between events; default `true`. */
  mayComment?: () => boolean;
  left?: () => void | Promise<void>;
  ended?: () => void;
  owner?: StreamOwner | null;
}

const ready = Promise.resolve();
const lineFeed = 0x0a;
/** An unterminated comment doesn't end the current event (HTML, 9.2.6). */
const commentInEvent = ": keep-alive\n";
/** Seconds after which an event stalled between lines gets a comment… */
const stalledEventTicks = 4;
/** …and after which a stream stalled within a line, where nothing can be written, is closed. */
const stalledLineTicks = 30;

export function createClientStream(options: ClientStreamOptions): ClientStream {
  const { silentTicks, beforeComment, mayComment, left, ended, owner = null } = options;
  const encoder = new TextEncoder();
  /** `null` before the body starts */
  let output: Output | null = null;
  let isOver = false;
  let silent = 0;
  let lastByte = lineFeed;
  /** pending while a writer waits for the buffer to drain */
  let full: PromiseWithResolvers<void> | null = null;

  const resume = (): void => {
    full?.resolve();
    full = null;
  };
  const stop = (): void => {
    if (isOver) return;
    isOver = true;
    clearInterval(timer);
    resume();
    ended?.();
    owner?.ended();
  };
  const onDisconnect = async (): Promise<void> => {
    stop();
    owner?.left();
    try {
      await left?.();
    } catch {
      // A failed web stream rejects cancellation.
    }
  };
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
  /** Writing detects a disconnect within an event. */
  const writeInEvent = (): void => {
    if (!hasRoom() || silent < stalledEventTicks) return;
    if (lastByte === lineFeed) enqueue(commentInEvent);
    else if (silent >= stalledLineTicks) {
      fail(new Error("The server's answer has stalled."));
      void onDisconnect();
    }
  };
  const close = (): void => {
    if (isOver) return;
    output?.end();
    void onDisconnect();
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
      const opened = createOutput({ resume, cancel: onDisconnect });
      output = opened;
      return owner === null ? opened.body : { ...opened.body, owned: true };
    },
    write(bytes) {
      enqueue(bytes);
      if (output === null || isOver || hasRoom()) return ready;
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
    abandon: stop,
    isOver: () => isOver,
  };
}
