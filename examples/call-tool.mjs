// Calls a tool as an MCP client that can't sample, and prints what the tool says.
//
//   node examples/call-tool.mjs URL TOOL ARGUMENTS     SAMPLING_ROUTER_KEY: sent where it is set
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const [url, name, given] = process.argv.slice(2);
if (given === undefined) {
  console.error("usage: node examples/call-tool.mjs URL TOOL ARGUMENTS");
  process.exit(2);
}
const { SAMPLING_ROUTER_KEY: key } = process.env;
const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
const client = new Client(
  { name: "call-tool", version: "1.0.0" },
  { capabilities: {}, versionNegotiation: { mode: "auto" } },
);
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
const { content, isError } = await client.callTool({ name, arguments: JSON.parse(given) });
for (const block of content) console.log(block.type === "text" ? block.text : block.type);
await client.close();
if (isError === true) process.exitCode = 1;
