/** The lines of a server-sent event and its possible forms for the client. */
import { concatenated } from "../../domain/bytes.ts";
import { sseDataLines } from "./write.ts";

export interface Line {
  start: number;
  /** before the terminator */
  end: number;
  /** after the terminator */
  next: number;
}

const space = 32;
const colon = 58;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const knownNames = ["data", "event", "id", "retry"].map((name) => ({
  name,
  bytes: encoder.encode(name),
}));

/** @param from start of the line, after any byte order mark */
export function fieldOf(
  held: Uint8Array,
  { end }: Pick<Line, "end">,
  from: number,
): { name: string; value: number } {
  if (held[from] === colon) return { name: ":", value: from + 1 };
  // Decoding five bytes is slower than everything else here.
  for (const { name, bytes } of knownNames) {
    const nameEnd = from + bytes.length;
    if (nameEnd > end || bytes.some((byte, at) => held[from + at] !== byte)) continue;
    if (nameEnd === end) return { name, value: end };
    if (held[nameEnd] !== colon) continue;
    const value = nameEnd + 1;
    return { name, value: value < end && held[value] === space ? value + 1 : value };
  }
  return { name: "", value: end };
}

export interface Block {
  /** `null` without data */
  data: string | null;
  /** "" for messages */
  type: string;
  id: string | null;
  rest: Uint8Array<ArrayBuffer>;
  withData: (data: string) => Uint8Array<ArrayBuffer>;
}

export function blockOf(
  held: Uint8Array<ArrayBuffer>,
  fields: readonly (Line & { name: string; value: number })[],
): Block {
  const textOf = ({ value, end }: { value: number; end: number }): string =>
    decoder.decode(held.subarray(value, end));
  const dataFields = fields.filter(({ name }) => name === "data");
  const type = fields.findLast(({ name }) => name === "event");
  const idField = fields.findLast(({ name }) => name === "id");
  const id = idField === undefined ? null : textOf(idField);
  const linesOf = (some: typeof fields) => some.map(({ start, next }) => held.slice(start, next));
  const withoutData = fields.filter(({ name }) => name !== "data");
  const typeName = type === undefined ? "" : textOf(type);
  return {
    data: dataFields.length === 0 ? null : dataFields.map(textOf).join("\n"),
    type: typeName === "message" ? "" : typeName,
    id,
    get rest() {
      const others = linesOf(withoutData.filter(({ name }) => name !== "event"));
      return others.length === 0
        ? new Uint8Array(0)
        : concatenated([...others, encoder.encode(id === null ? "\n" : "data:\n\n")]);
    },
    withData: (text) =>
      concatenated([...linesOf(withoutData), encoder.encode(`${sseDataLines(text)}\n`)]),
  };
}

/** What remains of an unreadable event: its id, if plain. */
export function remainsOf({ id }: Block): Pick<Block, "rest" | "withData"> {
  const idLine = id !== null && /^[\x20-\x7e]*$/.test(id) ? `id: ${id}\n` : "";
  return {
    rest: encoder.encode(idLine === "" ? "" : `${idLine}data:\n\n`),
    withData: (text) => encoder.encode(`${idLine}${sseDataLines(text)}\n`),
  };
}
