/** Encodes `application/vnd.amazon.eventstream` with zlib's CRC, as the source does not. */
import { crc32 } from "node:zlib";

const header = (name: string, value: string): Buffer => {
  const [key, text] = [Buffer.from(name), Buffer.from(value)];
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  return Buffer.concat([Buffer.from([key.length]), key, Buffer.from([7]), length, text]);
};

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};

export function awsMessage(headers: Record<string, string>, payload: string | Buffer): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)));
  const body = Buffer.from(payload as string);
  const lengths = Buffer.concat([uint32(head.length + body.length + 16), uint32(head.length)]);
  const all = Buffer.concat([lengths, uint32(crc32(lengths)), head, body]);
  return Buffer.concat([all, uint32(crc32(all))]);
}

/** An event of Claude's, as `InvokeModelWithResponseStream` sends it. */
export const awsChunk = (event: object): Buffer =>
  awsMessage(
    { ":event-type": "chunk", ":content-type": "application/json", ":message-type": "event" },
    JSON.stringify({ bytes: Buffer.from(JSON.stringify(event)).toString("base64"), p: "abcd" }),
  );

export const awsException = (name: string, message: string): Buffer =>
  awsMessage(
    { ":exception-type": name, ":message-type": "exception", ":content-type": "application/json" },
    JSON.stringify({ message }),
  );
