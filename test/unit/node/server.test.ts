/** How the server treats connections: at its end, and where a request is ambiguous. */
import { connect } from "node:net";
import { afterEach, expect, it } from "vitest";
import { plainAnswer } from "../../../src/domain/ports/client-answer.ts";
import { createOpenWork } from "../../../src/node/open-work.ts";
import { createNodeServer, type NodeServer } from "../../../src/node/server.ts";
import { freePort } from "../../fakes/sqld.ts";

const servers: NodeServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.drain(0);
});

/** A server whose answers wait until `answer` is called. */
async function serving() {
  const arrived = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const open = createOpenWork(() => 0);
  const server = createNodeServer({
    isTrusted: () => false,
    open,
    report: () => {},
    async answer() {
      arrived.resolve();
      await held.promise;
      return Response.json({ way: "adapter" });
    },
    answerDirectly: () => {
      arrived.resolve();
      return held.promise.then(() =>
        plainAnswer({ status: 200, fields: { "x-way": "direct" }, content: "{}" }),
      );
    },
  });
  servers.push(server);
  const port = await freePort();
  await server.listen({ host: "127.0.0.1", port });
  return { server, port, arrived: arrived.promise, answer: () => held.resolve() };
}

/** What comes until the connection ends. */
const askedFor = (port: number, lines: string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(
      port,
      "127.0.0.1",
      () => void socket.write([...lines, "", ""].join("\r\n")),
    );
    let got = "";
    socket.on("data", (part) => (got += part.toString()));
    socket.on("error", reject);
    socket.on("close", () => resolve(got));
  });

it.each([
  ["adapter", ["POST /v1/route HTTP/1.1", "Host: localhost", "Content-Length: 0"]],
  ["direct", ["POST /v1/sampling HTTP/1.1", "Host: localhost:8080", "Content-Length: 0"]],
])(
  "says Connection: close in an answer that is still open when the server drains: %s",
  async (way, lines) => {
    const { server, port, arrived, answer } = await serving();
    const got = askedFor(port, lines);
    await arrived;
    const drained = server.drain(10_000);
    answer();
    expect(await got).toMatch(/^connection: close$/im);
    expect(await got).toContain(way);
    await drained;
  },
);

it("refuses a request with two hosts", async () => {
  const { port } = await serving();
  const lines = [
    "GET /health HTTP/1.1",
    "Host: router.example",
    "host: evil.example",
    "Connection: close",
  ];
  expect(await askedFor(port, lines)).toMatch(/^HTTP\/1\.1 400 /);
});
