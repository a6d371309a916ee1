/** How much of a stream a router on loopback holds: what it has taken, less what its client or the kernel has. */
import { readFileSync } from "node:fs";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** Bytes in the kernel's queues of both ends of a connection between these ports. */
function queuedBetween(one: number, other: number): number {
  let bytes = 0;
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"])
    for (const line of readFileSync(table, "utf8").split("\n").slice(1)) {
      const [, local = "", remote = "", , queues = ""] = line.trim().split(/\s+/);
      const portOf = (end: string): number => Number.parseInt(end.split(":")[1] ?? "", 16);
      const ports = new Set([portOf(local), portOf(remote)]);
      if (!ports.has(one) || !ports.has(other)) continue;
      for (const queue of queues.split(":")) bytes += Number.parseInt(queue, 16);
    }
  return bytes;
}

const queuedAt = ({ localPort = 0, remotePort = 0 }: Socket): number =>
  queuedBetween(localPort, remotePort);

/** Large, so that the frames around them, which the router adds, are few. */
const event = `data: ${JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "endless",
  choices: [{ index: 0, delta: { content: "x".repeat(8_192) }, finish_reason: null }],
})}\n\n`;
/** Of one write. Until it is done, Node doesn't say how much of it the kernel has. */
const pieceBytes = 1_024;

export interface EndlessProvider {
  url: string;
  /** bytes that its kernel has accepted for the latest request, less those that are still there */
  taken(): number;
  stop(): void;
}

/** A provider of Chat Completions that writes as much as is taken, in a body without frames. */
export async function startEndlessProvider(): Promise<EndlessProvider> {
  let latest: Socket | null = null;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", () => {
      latest = socket;
      socket.resume();
      socket.write(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n",
      );
      const write = (at: number): void => {
        if (socket.destroyed) return;
        const next = at + pieceBytes < event.length ? at + pieceBytes : 0;
        socket.write(event.slice(at, at + pieceBytes), () => write(next));
      };
      write(0);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    taken: () =>
      latest === null ? 0 : latest.bytesWritten - latest.writableLength - queuedAt(latest),
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

export interface SlowReader {
  /** bytes that have arrived, read or not */
  arrived(): number;
  stop(): void;
}

/** Sends a request, and takes one byte a second of what comes. */
export function readSlowly(url: string, request: { headers: object; body: string }): SlowReader {
  const { hostname, port, pathname, host } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), highWaterMark: 1 } as never);
  const { body } = request;
  const fields = Object.entries({
    Host: host,
    "Content-Length": Buffer.byteLength(body),
    ...request.headers,
  }).map(([name, value]) => `${name}: ${String(value)}\r\n`);
  socket.write(`POST ${pathname} HTTP/1.1\r\n${fields.join("")}\r\n${body}`);
  socket.on("error", () => {});
  const timer = setInterval(() => void socket.read(1), 1_000);
  return {
    arrived: () => socket.bytesRead + queuedAt(socket),
    stop() {
      clearInterval(timer);
      socket.destroy();
    },
  };
}
