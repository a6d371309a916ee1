/** A process that sends one large body after the other, on several connections, until its end. */
import { connect } from "node:net";
import { bodies } from "./large-bodies.ts";

const [url = "", key = "", name = ""] = process.argv.slice(2);
const body = new TextEncoder().encode(bodies[name]?.());
const connections = 2;
const { host, hostname, port } = new URL(url);
/** Between two bodies of one connection, so that the sender itself takes little of the machine. */
const pauseMs = 500;
const statuses: Record<string, number> = {};

const head = [
  "POST /v1/sampling HTTP/1.1",
  `Host: ${host}`,
  `Authorization: Bearer ${key}`,
  "Content-Type: application/json",
  "MCP-Protocol-Version: 2026-07-28",
  "Mcp-Method: sampling/createMessage",
  `Content-Length: ${body.byteLength}`,
].join("\r\n");

/** The status, as soon as it comes. The connection ends with it. */
const send = (): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => resolve("cut"));
    socket.once("data", (answer: Buffer) => {
      resolve(answer.toString("latin1").split(" ")[1] ?? "");
      socket.destroy();
    });
    socket.write(`${head}\r\n\r\n`);
    socket.write(body);
  });

process.once("message", () => {
  process.send?.(statuses);
  process.disconnect();
  process.exit(0);
});
await Promise.all(
  Array.from({ length: connections }, async () => {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      const status = await send();
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  }),
);
