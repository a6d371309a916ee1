/** What a person copies to call the router from a program or an MCP client. */
import { installSnippets } from "../../domain/servers/install.ts";
import { routerUrl } from "../place.ts";

export interface Snippet {
  name: string;
  hint: string;
  text: string;
}

const curl = (key: string): string => `curl -sS ${routerUrl}/v1/sampling \\
  -H "Authorization: Bearer ${key}" -H 'Content-Type: application/json' \\
  -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: sampling/createMessage' \\
  -d '{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{
        "messages":[{"role":"user","content":{"type":"text","text":"Say hello."}}],
        "maxTokens":100,
        "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
                 "io.modelcontextprotocol/clientCapabilities":{"sampling":{}}}}}'`;

const server = (key: string): string => `const answer = await fetch("${routerUrl}/v1/sampling", {
  method: "POST",
  headers: {
    Authorization: "Bearer ${key}",
    "Content-Type": "application/json",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "sampling/createMessage",
  },
  body: JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "sampling/createMessage",
    params: {
      messages: [{ role: "user", content: { type: "text", text: "Say hello." } }],
      maxTokens: 100,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": { sampling: {} },
      },
    },
  }),
});
const { result, error } = await answer.json();`;

/** Clients that are shown here; `GET …/servers/{server}/install` has more of them. */
const shown = new Set(["Claude Code", "VS Code", "Cursor"]);

export function snippetsFor({ tenant, apiKey }: { tenant: string; apiKey: string }): Snippet[] {
  const behind = { url: `${routerUrl}/mcp/${tenant}/SERVER`, name: "SERVER", key: apiKey };
  return [
    { name: "curl", hint: "Paste it into a terminal.", text: curl(apiKey) },
    { name: "TypeScript server", hint: "In a tool of your MCP server.", text: server(apiKey) },
    ...installSnippets(behind)
      .filter(({ client }) => shown.has(client))
      .map(({ client, where, text }) => ({
        name: client,
        hint: `It goes ${where}. Register the server first, and write its name in place of SERVER.`,
        text,
      })),
  ];
}
