/**
 * A stream of server-sent events, block by block, in the bytes in which they came: what is not looked
 * at goes on exactly as it was. Any chunking gives the same blocks, half characters included, since
 * nothing is decoded before its block is whole.
 */
export interface Block {
  /** up to and with the empty line; the last one may lack it */
  raw: Uint8Array<ArrayBuffer>;
  /** what the event carries; null: a comment, an `id:` or `retry:` alone, or a stream cut off */
  data: string | null;
}

const decoder = new TextDecoder();
const lineFeed = 10;
const carriageReturn = 13;

/** The data lines of a block, joined as the standard says. */
function dataIn(raw: Uint8Array): string | null {
  const lines = decoder.decode(raw).split(/\r\n|\n|\r/);
  const data = lines.flatMap((line) => {
    if (line === "data") return [""];
    return line.startsWith("data:") ? [line.slice(line[5] === " " ? 6 : 5)] : [];
  });
  return data.length === 0 ? null : data.join("\n");
}

const dataLines = (data: string): string[] =>
  data.split(/\r\n|\n|\r/).map((line) => `data: ${line}`);

/** A message event; its text may have lines. */
export const messageEvent = (data: string): string =>
  `${["event: message", ...dataLines(data)].join("\n")}\n\n`;

/** The same event with other data. Its other lines stay as they are. */
export function withData(block: Block, data: string): Uint8Array<ArrayBuffer> {
  const lines = decoder
    .decode(block.raw)
    .split(/\r\n|\n|\r/)
    .filter((line) => line !== "" && line !== "data" && !line.startsWith("data:"));
  return new TextEncoder().encode(`${[...lines, ...dataLines(data)].join("\n")}\n\n`);
}

export interface Splitter {
  /** Blocks that a chunk completes. */
  push(chunk: Uint8Array): Block[];
  /** What is left when the stream ends; null: nothing. */
  end(): Block | null;
  /** bytes of the block that is not whole yet */
  pending(): number;
}

export function createSplitter(): Splitter {
  let parts: Uint8Array[] = [];
  let size = 0;
  /** whether the line that the next byte stands in has no byte so far */
  let atLineStart = true;
  let afterReturn = false;
  /** an empty line has ended the block, by a return that a line feed may still follow */
  let mayContinue = false;
  const take = (): Uint8Array<ArrayBuffer> => {
    const raw = new Uint8Array(size);
    let at = 0;
    for (const part of parts) {
      raw.set(part, at);
      at += part.length;
    }
    parts = [];
    size = 0;
    return raw;
  };
  const whole = (): Block => {
    const raw = take();
    return { raw, data: dataIn(raw) };
  };
  return {
    push(chunk) {
      const blocks: Block[] = [];
      let from = 0;
      const cut = (to: number): void => {
        if (to > from) parts.push(chunk.slice(from, to));
        size += to - from;
        from = to;
        blocks.push(whole());
        mayContinue = false;
      };
      for (let at = 0; at < chunk.length; at += 1) {
        const byte = chunk[at];
        if (mayContinue) {
          // The line feed of a return belongs to the block that the return has ended.
          const belongs = byte === lineFeed;
          cut(belongs ? at + 1 : at);
          atLineStart = true;
          afterReturn = false;
          if (belongs) continue;
        }
        if (byte === lineFeed && afterReturn) {
          afterReturn = false;
          continue;
        }
        const isEnd = byte === lineFeed || byte === carriageReturn;
        afterReturn = byte === carriageReturn;
        if (isEnd && atLineStart) {
          if (byte === lineFeed) cut(at + 1);
          else mayContinue = true;
        }
        atLineStart = isEnd;
      }
      if (chunk.length > from) {
        parts.push(chunk.slice(from));
        size += chunk.length - from;
      }
      return blocks;
    },
    end() {
      if (size === 0) return null;
      if (mayContinue) return whole();
      // Without its empty line an event was never sent, the standard says.
      return { raw: take(), data: null };
    },
    pending: () => size,
  };
}
