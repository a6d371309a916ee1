// A remote MCP server on Cloudflare Workers. Its tool asks the client for a model call where the client can
// sample, and the router where it can't. The Worker has no model of its own.
//
//   npx wrangler dev --config examples/worker-server.toml --ip 127.0.0.1 --port 3002
//   SAMPLING_ROUTER_URL: where the router is; SAMPLING_ROUTER_KEY: an API key with the scope `sampling`
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { hostedSampling } from "mcp-sampling-router/server";
import { z } from "zod";

function createServer({ SAMPLING_ROUTER_URL: url, SAMPLING_ROUTER_KEY: key }) {
  const server = new McpServer({ name: "titles", version: "1.0.0" });
  const sampling = hostedSampling({ url, key, server });
  const tool = { description: "Finds a title.", inputSchema: z.object({ text: z.string() }) };
  // In 2026-07-28 a client is asked in rounds. Without `rounds` the router would answer each request.
  const findTitle = sampling.rounds(async ({ text }, context) => {
    const answer = await sampling.createMessage(context, {
      messages: [{ role: "user", content: { type: "text", text: `A title for: ${text}` } }],
      maxTokens: 50,
    });
    return { content: [answer.content] };
  });
  server.registerTool("find_title", tool, findTitle);
  return server;
}

export default {
  async fetch(request, env) {
    const handler = createMcpHandler(() => createServer(env));
    return handler.fetch(request);
  },
};
