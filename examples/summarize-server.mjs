// An MCP server with one tool, `summarize`. The server has no model and no key: the tool asks its
// client's side for a model call (`sampling/createMessage`) and returns the answer.
//
//   node examples/summarize-server.mjs     listens on http://127.0.0.1:3001/mcp; PORT sets another port
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

function createSummarizer() {
  const mcp = new McpServer({ name: "summarize", version: "1.0.0" });
  const tool = { description: "Summarizes a text.", inputSchema: { text: z.string() } };
  mcp.registerTool("summarize", tool, async ({ text }, { requestId }) => {
    const sampling = {
      messages: [{ role: "user", content: { type: "text", text: `Summarize: ${text}` } }],
      maxTokens: 200,
      modelPreferences: { hints: [{ name: "haiku" }, { name: "mini" }], costPriority: 0.8 },
    };
    // The request travels on the stream of the tool call that it belongs to.
    const answer = await mcp.server.createMessage(sampling, { relatedRequestId: requestId });
    return { content: [answer.content] };
  });
  return mcp;
}

/** One transport for each session, by the session's id. */
const transports = new Map();

async function beginSession() {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void transports.set(id, transport),
    onsessionclosed: (id) => void transports.delete(id),
  });
  await createSummarizer().connect(transport);
  return transport;
}

const port = Number(process.env.PORT ?? 3001);
const server = createServer(async (request, response) => {
  const id = request.headers["mcp-session-id"];
  const transport = id === undefined ? await beginSession() : transports.get(id);
  if (transport === undefined) response.writeHead(404).end();
  else await transport.handleRequest(request, response);
});
server.listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${port}/mcp`));
