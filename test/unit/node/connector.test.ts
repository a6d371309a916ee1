/** A connection reads little before it is asked, and what connections read through one buffer stays their own. */
import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import { createConnector } from "../../../src/node/connector.ts";

let server: Server | null = null;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server?.close();
});

const wholeBytes = 4 * 1024 * 1024;

it("connections read 18 KiB ahead, and each gets its own bytes", async () => {
  const texts = ["a", "b", "c"];
  const left = [...texts];
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.end((left.shift() ?? "").repeat(wholeBytes));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const connect = createConnector();
  const opened = () =>
    new Promise<Socket>((resolve, reject) => {
      const to = { hostname: "127.0.0.1", host: `127.0.0.1:${port}`, protocol: "http:" };
      connect({ ...to, port: String(port) }, (...[error, socket]) => {
        if (socket === null) return reject(error);
        sockets.push(socket);
        resolve(socket);
      });
    });
  const connected = [await opened(), await opened(), await opened()];
  for (const socket of connected) socket.once("readable", () => {});
  await expect.poll(() => connected.every(({ bytesRead }) => bytesRead > 0)).toBe(true);
  // A turn of the event loop for each read that could follow.
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  for (const { bytesRead } of connected) expect(bytesRead).toBeLessThanOrEqual(18 * 1024);
  const read = await Promise.all(
    connected.map(async (socket) => {
      let text = "";
      for await (const piece of socket) text += String(piece);
      return [text.length, ...new Set(text)];
    }),
  );
  expect(read).toEqual(texts.map((text) => [wholeBytes, text]));
});
