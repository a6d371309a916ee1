/** Feed of records as JSON lines over RPC: the object polls its database once for all listeners in all isolates. */
import type { FeedItem, FeedListener } from "../../../domain/ports/request-feed.ts";

/** ms. An empty line detects a reader that has disappeared. */
const silentMs = 25_000;

export function linesOf(listener: FeedListener): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    type: "bytes",
    async pull(controller) {
      const item = await listener.next(silentMs);
      if (item === "gone") return controller.close();
      controller.enqueue(encoder.encode(`${item === null ? "" : JSON.stringify(item)}\n`));
    },
    cancel: () => listener.leave(),
  });
}

export function listenerOf(
  lines: ReadableStream<Uint8Array<ArrayBuffer>>,
  wait: (ms: number, signal?: AbortSignal) => Promise<void>,
): FeedListener {
  const reader = lines.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  let reading: Promise<boolean> | null = null;
  let isGone = false;
  const read = async (): Promise<boolean> => {
    const { done, value } = await reader.read().catch(() => ({ done: true, value: "" }));
    text += value ?? "";
    return !done;
  };
  const lineIn = (): string | null => {
    const end = text.indexOf("\n");
    if (end === -1) return null;
    const line = text.slice(0, end);
    text = text.slice(end + 1);
    return line;
  };
  return {
    async next(withinMs) {
      const over = new AbortController();
      const late = wait(withinMs, over.signal).then(() => "late" as const);
      try {
        for (;;) {
          const line = lineIn();
          if (line !== null && line !== "") return JSON.parse(line) as FeedItem;
          if (line !== null) continue;
          if (isGone) return "gone";
          reading ??= read();
          const came = await Promise.race([reading, late]);
          if (came === "late") return null;
          reading = null;
          isGone = !came;
        }
      } finally {
        over.abort();
      }
    },
    leave() {
      isGone = true;
      void reader.cancel().catch(() => {});
    },
  };
}
