export function streamOf(chunks: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // An empty chunk would leave the reader waiting.
        for (;;) {
          const next = await iterator.next();
          if (next.done === true) return controller.close();
          if (next.value !== "") return controller.enqueue(encoder.encode(next.value));
        }
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
