/**
 * Decodes `application/vnd.amazon.eventstream`: length, length of the headers, CRC of both, headers, payload, CRC of all.
 * Source: https://docs.aws.amazon.com/transcribe/latest/dg/event-stream.html
 */
import { concatenated } from "../../domain/bytes.ts";
import { own, parsedJson } from "../../domain/json.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const preludeBytes = 12;
const crcBytes = 4;
/** AWS's own limits. */
const maxHeaderBytes = 128 * 1024;
const maxPayloadBytes = 16 * 1024 * 1024;
const maxMessageBytes = preludeBytes + maxHeaderBytes + maxPayloadBytes + crcBytes;

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

/** CRC-32 as in gzip. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crcTable[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

export interface AwsEvent {
  headers: ReadonlyMap<string, string>;
  payload: Uint8Array;
}

const malformed = (): Error => new SyntaxError("malformed event stream");

/** Lengths of values by type; type 6 and 7 have a length of their own. */
const fixedLengths: ReadonlyMap<number, number> = new Map([
  [0, 0],
  [1, 0],
  [2, 1],
  [3, 2],
  [4, 4],
  [5, 8],
  [8, 8],
  [9, 16],
]);
const textType = 7;

function headersIn(bytes: Uint8Array): Map<string, string> {
  const decoder = new TextDecoder();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headers = new Map<string, string>();
  let at = 0;
  const take = (length: number): Uint8Array => {
    if (at + length > bytes.byteLength) throw malformed();
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.byteLength) {
    const name = decoder.decode(take(take(1)[0] ?? 0));
    const type = take(1)[0] ?? 0;
    const fixed = fixedLengths.get(type);
    if (fixed !== undefined) {
      take(fixed);
      continue;
    }
    if (type !== textType && type !== textType - 1) throw malformed();
    take(2);
    const value = take(view.getUint16(at - 2));
    if (type === textType) headers.set(name, decoder.decode(value));
  }
  return headers;
}

/** Throws a SyntaxError for anything that isn't a whole and valid message. */
export function createEventDecoder() {
  let pieces: Bytes[] = [];
  let size = 0;
  const takeOne = (bytes: Bytes): { event: AwsEvent; length: number } | null => {
    if (bytes.byteLength < preludeBytes) return null;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const length = view.getUint32(0);
    const headerLength = view.getUint32(4);
    if (view.getUint32(8) !== crc32(bytes.subarray(0, 8))) throw malformed();
    const isPossible =
      length <= maxMessageBytes && headerLength <= length - preludeBytes - crcBytes;
    if (!isPossible) throw malformed();
    if (bytes.byteLength < length) return null;
    const end = length - crcBytes;
    if (view.getUint32(end) !== crc32(bytes.subarray(0, end))) throw malformed();
    const payloadAt = preludeBytes + headerLength;
    const headers = headersIn(bytes.subarray(preludeBytes, payloadAt));
    return { event: { headers, payload: bytes.slice(payloadAt, end) }, length };
  };
  return {
    add(piece: Bytes): AwsEvent[] {
      pieces.push(piece);
      size += piece.byteLength;
      const wanted = pieces[0]?.byteLength ?? 0;
      // Waits for the whole message, so that many small pieces aren't copied each time.
      const [first] = pieces;
      const isLong = first !== undefined && wanted >= 4;
      const length = isLong ? new DataView(first.buffer, first.byteOffset).getUint32(0) : 0;
      if (length <= maxMessageBytes && size < length) return [];
      let rest = concatenated(pieces);
      const events: AwsEvent[] = [];
      for (let found = takeOne(rest); found !== null; found = takeOne(rest)) {
        events.push(found.event);
        rest = rest.subarray(found.length);
      }
      pieces = rest.byteLength === 0 ? [] : [rest.slice()];
      size = rest.byteLength;
      return events;
    },
    end(): void {
      if (size > 0) throw malformed();
    },
  };
}

/** Names of exceptions in the words of Anthropic's API. */
const errorTypes: ReadonlyMap<string, string> = new Map([
  ["throttlingException", "rate_limit_error"],
  ["validationException", "invalid_request_error"],
  ["modelTimeoutException", "timeout_error"],
  ["serviceUnavailableException", "overloaded_error"],
]);

const sse = (type: string, data: string): string => `event: ${type}\ndata: ${data}\n\n`;

/** An event of Claude's stream as Anthropic's own API sends it. */
function asSse({ headers, payload }: AwsEvent): string {
  const text = new TextDecoder().decode(payload);
  const body = parsedJson(text);
  if (headers.get(":message-type") !== "event") {
    const name = headers.get(":exception-type") ?? headers.get(":error-code") ?? "";
    const type = errorTypes.get(name) ?? "api_error";
    const message = own(body, "message") ?? headers.get(":error-message") ?? "";
    return sse("error", JSON.stringify({ type: "error", error: { type, message } }));
  }
  const encoded = own(body, "bytes");
  if (typeof encoded !== "string") return "";
  const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
  const data = new TextDecoder().decode(bytes);
  const type = own(parsedJson(data), "type");
  return typeof type === "string" ? sse(type, data) : "";
}

/** A response of Bedrock's as server-sent events. */
export function asEventStream(response: Response): Response {
  const { body, status } = response;
  if (body === null) return response;
  const decoder = createEventDecoder();
  const encoder = new TextEncoder();
  const reader = (body as ReadableStream<Bytes>).getReader();
  const stream = new ReadableStream<Bytes>(
    {
      async pull(controller) {
        try {
          for (;;) {
            const { done, value } = await reader.read();
            if (done) {
              decoder.end();
              return controller.close();
            }
            const text = decoder.add(value).map(asSse).join("");
            if (text !== "") return controller.enqueue(encoder.encode(text));
          }
        } catch (thrown) {
          void reader.cancel().catch(() => undefined);
          controller.error(thrown);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  headers.set("content-type", "text/event-stream");
  return new Response(stream, { status, headers });
}
