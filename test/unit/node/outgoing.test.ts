/** What this host knows of requests that got no answer: whether a byte of them was sent. */
import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isUnsent, networkCauseOf } from "../../../src/domain/network-fault.ts";
import { createOutgoing } from "../../../src/node/outgoing.ts";

const outgoing = createOutgoing();
const sockets = new Set<Socket>();
let silent: Server;
let reading: HttpServer;

const portOf = (server: Server | HttpServer): number => (server.address() as AddressInfo).port;

beforeAll(async () => {
  // Takes connections, and says nothing: a TLS handshake with it never ends.
  silent = createServer((socket) => void sockets.add(socket.on("error", () => {})));
  reading = createHttpServer((request) => void request.resume());
  await Promise.all(
    [silent, reading].map((each) => new Promise<void>((done) => each.listen(0, "127.0.0.1", done))),
  );
});
afterAll(async () => {
  await outgoing.close();
  for (const socket of sockets) socket.destroy();
  silent.close();
  reading.closeAllConnections();
  reading.close();
});

const ways: Record<string, (url: string, signal: AbortSignal) => Promise<unknown>> = {
  fetch: (url, signal) => outgoing.fetch(url, { signal }),
  fetchShort: (url, signal) =>
    outgoing.fetchShort(url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: "{}",
      redirect: "manual",
      signal,
    }),
  fetchServer: (url, signal) =>
    outgoing.fetchServer({ url, method: "GET", headers: {}, body: null, signal }),
};

async function failing(way: string, url: string, signal = new AbortController().signal) {
  const thrown: unknown = await ways[way]?.(url, signal).then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );
  return { thrown, found: [networkCauseOf(thrown), isUnsent(thrown)] };
}

describe.each(Object.keys(ways))("a request by %s", (way) => {
  it("was not sent where TLS is not answered within its time", async () => {
    const url = `https://127.0.0.1:${portOf(silent)}/`;
    const { thrown, found } = await failing(way, url, AbortSignal.timeout(200));
    expect(found).toEqual(["connect_timeout", true]);
    expect(thrown).toMatchObject({ name: "TimeoutError" });
  });

  it("was sent where the answer does not come within its time", async () => {
    const url = `http://127.0.0.1:${portOf(reading)}/`;
    expect((await failing(way, url, AbortSignal.timeout(200))).found).toEqual([
      "response_timeout",
      false,
    ]);
  });

  it("was not sent to a port that fetch refuses, and to one that nobody listens at", async () => {
    expect((await failing(way, "http://127.0.0.1:6000/")).found).toEqual(["not_allowed", true]);
    const closed = createServer();
    await new Promise<void>((done) => closed.listen(0, "127.0.0.1", done));
    const port = portOf(closed);
    await new Promise((done) => closed.close(done));
    expect((await failing(way, `http://127.0.0.1:${port}/`)).found).toEqual(["refused", true]);
  });

  it("does not mark the caller's own reason", async () => {
    const signal = AbortSignal.abort(new DOMException("late", "TimeoutError"));
    await failing(way, `http://127.0.0.1:${portOf(reading)}/`, signal);
    expect(signal.reason).not.toHaveProperty("requestSent");
  });
});
