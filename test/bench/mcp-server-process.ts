/**
 * An MCP server of both eras that costs next to nothing: a legacy session where one is asked for, and
 * `tools/call`, answered in JSON or, for the tool `stream`, by a progress event and the result.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { serveParent } from "./child.ts";

interface Message {
  id?: number;
  method?: string;
  params?: { name?: string; arguments?: { nonce?: string } };
}

const json = { "Content-Type": "application/json" };
const words = "three handlers share a retry loop, two of them without a limit. ".repeat(8);

const server = createServer((request, response) => {
  let text = "";
  request.setEncoding("utf8");
  request.on("data", (part: string) => (text += part));
  request.on("end", () => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(text) as Message;
    if (method === "initialize") {
      const result = {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "bench", version: "1" },
      };
      response.writeHead(200, { ...json, "Mcp-Session-Id": crypto.randomUUID() });
      return void response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    }
    if (id === undefined) return void response.writeHead(202).end();
    if (method === "server/discover") {
      const supportedVersions = ["2026-07-28"];
      const about = { capabilities: { tools: {} }, ttlMs: 0, cacheScope: "private" };
      const result = { resultType: "complete", supportedVersions, ...about };
      response.writeHead(200, json);
      return void response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    }
    const said = [{ type: "text", text: `${params?.arguments?.nonce}: ${words}` }];
    const result = { resultType: "complete", content: said };
    const answer = JSON.stringify({ jsonrpc: "2.0", id, result });
    if (params?.name !== "stream") {
      response.writeHead(200, { ...json, "Content-Length": Buffer.byteLength(answer) });
      return void response.end(answer);
    }
    const progress = { progressToken: id, progress: 1 };
    const notice = JSON.stringify({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: progress,
    });
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.write(`event: message\ndata: ${notice}\n\n`);
    setImmediate(() => response.end(`event: message\ndata: ${answer}\n\n`));
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  serveParent({ url: `http://127.0.0.1:${port}/mcp` }, () => {
    server.closeAllConnections();
    server.close();
  });
});
