/** Parts of a server's stream. Cheaper than an async generator, which creates several promises per part. */
import type { AnswerReader } from "../../domain/ports/upstream.ts";
import type { createEventSplitter } from "./event-splitter.ts";
import type { Segment } from "./segment.ts";

type Next = { done: false; value: Segment } | { done: true; value: undefined };

export interface Segments extends AsyncIterable<Segment> {
  next(): Promise<Next>;
  /** Releases the rest of the stream. */
  return(): Promise<Next>;
}

const over: Next = { done: true, value: undefined };

export function createSegments(
  reader: AnswerReader | undefined,
  splitter: Pick<ReturnType<typeof createEventSplitter>, "push" | "end">,
): Segments {
  let ready: Segment[] = [];
  let at = 0;
  const state = { hasEnded: false };
  const end = async (): Promise<void> => {
    if (state.hasEnded) return;
    state.hasEnded = true;
    await reader?.cancel().catch(() => undefined);
  };
  const fill = async (): Promise<void> => {
    while (at === ready.length && !state.hasEnded) {
      const read = await reader?.read();
      at = 0;
      if (read === undefined || read.done) {
        ready = splitter.end();
        await end();
      } else ready = splitter.push(read.value);
    }
  };
  const segments: Segments = {
    async next() {
      if (at === ready.length && !state.hasEnded)
        await fill().catch(async (cause: unknown) => {
          await end();
          throw cause;
        });
      const value = ready[at];
      if (value === undefined) return over;
      at += 1;
      return { done: false, value };
    },
    async return() {
      ready = [];
      at = 0;
      await end();
      return over;
    },
    [Symbol.asyncIterator]: () => segments,
  };
  return segments;
}
