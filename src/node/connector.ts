/** Connections that read little ahead: a plain one otherwise reads 64 KiB at a time, and as much again while it is paused. */
import type { Socket } from "node:net";
import { buildConnector } from "undici";

/** Bytes of one read: those of a TLS record, which TLS connections read at most. */
const pieceBytes = 16 * 1024;
/** Unread bytes at which a connection reads no more. */
const highWaterMark = 2 * 1024;

export function createConnector(): buildConnector.connector {
  // All connections read into it, and copy what they read.
  const buffer = new Uint8Array(pieceBytes);
  const secure = buildConnector({ highWaterMark } as buildConnector.BuildOptions);
  return (options, callback) => {
    if (options.protocol === "https:") return secure(options, callback);
    let socket: Socket | null = null;
    const onread = {
      buffer,
      callback: (size: number): boolean =>
        socket?.push(Buffer.from(buffer.subarray(0, size))) ?? false,
    };
    const plain = buildConnector({ highWaterMark, onread } as buildConnector.BuildOptions);
    plain(options, (...connected) => {
      socket = connected[1];
      callback(...connected);
    });
  };
}
