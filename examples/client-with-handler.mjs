// An MCP client without a model: what servers ask of it, its handler has the router answer.
//
//   node examples/client-with-handler.mjs URL TOOL ARGUMENTS
//   SAMPLING_ROUTER_URL: where the router is; SAMPLING_ROUTER_KEY: an API key with the scope `sampling`
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { routedSampling } from "mcp-sampling-router/client";

const [server, name, given] = process.argv.slice(2);
const { SAMPLING_ROUTER_URL: url, SAMPLING_ROUTER_KEY: key } = process.env;
if (given === undefined || url === undefined || key === undefined) {
  console.error("usage: node examples/client-with-handler.mjs URL TOOL ARGUMENTS");
  console.error("SAMPLING_ROUTER_URL and SAMPLING_ROUTER_KEY must be set.");
  process.exit(2);
}

const sampling = routedSampling({
  url,
  key,
  // A real client shows the request to its user here, and sends what the user made of it.
  askUser: async ({ messages, maxTokens }) => {
    console.log(`The server asks a model, for ${maxTokens} tokens: ${JSON.stringify(messages)}`);
    return true;
  },
});
const client = new Client(
  { name: "client-with-handler", version: "1.0.0" },
  { capabilities: sampling.capabilities, versionNegotiation: { mode: "auto" } },
);
client.setRequestHandler("sampling/createMessage", sampling.handleRequest);
await client.connect(new StreamableHTTPClientTransport(new URL(server)));
const { content, isError } = await client.callTool({ name, arguments: JSON.parse(given) });
for (const block of content) console.log(block.type === "text" ? block.text : block.type);
await client.close();
if (isError === true) process.exitCode = 1;
