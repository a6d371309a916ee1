import { installSnippets } from "../../domain/servers/install.ts";
import { routerUrl, tenantHere } from "../place.ts";

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

interface Access {
  base: string;
  key: string;
}

const openai = ({ base, key }: Access): string => `import OpenAI from "openai";

const models = new OpenAI({ baseURL: "${base}/v1", apiKey: "${key}" });
const answer = await models.chat.completions.create({
  model: "auto",
  messages: [{ role: "user", content: "Say hello." }],
});`;

const anthropic = ({ base, key }: Access): string => `import Anthropic from "@anthropic-ai/sdk";

const models = new Anthropic({ baseURL: "${base}", apiKey: "${key}" });
const answer = await models.messages.create({
  model: "auto",
  max_tokens: 200,
  messages: [{ role: "user", content: "Say hello." }],
});`;

const claudeCode = ({ base, key }: Access): string =>
  `ANTHROPIC_BASE_URL=${base} ANTHROPIC_AUTH_TOKEN=${key} claude`;

const codex = ({ base, key }: Access): string => `ROUTER_KEY=${key} codex \\
  -c model_provider=router \\
  -c 'model_providers.router={name="Sampling Router",base_url="${base}/v1",env_key="ROUTER_KEY",wire_api="responses"}'`;

const modelSnippets = (access: Access): Snippet[] => [
  { name: "OpenAI SDK", hint: "In a program that calls models itself.", text: openai(access) },
  {
    name: "Anthropic SDK",
    hint: "In a program that calls models itself.",
    text: anthropic(access),
  },
  {
    name: "Claude Code’s models",
    hint: "Its own model calls go to the router. Paste it into a terminal.",
    text: claudeCode(access),
  },
  {
    name: "Codex’s models",
    hint: "Its own model calls go to the router. Paste it into a terminal.",
    text: codex(access),
  },
];

/** Clients that are shown here; `GET …/servers/{server}/install` has more of them. */
const shown = new Set(["Claude Code", "VS Code", "Cursor"]);

export function snippetsFor({ apiKey }: { apiKey: string }): Snippet[] {
  const tenant = tenantHere();
  const behind = { url: `${routerUrl}/mcp/${tenant}/SERVER`, name: "SERVER", key: apiKey };
  return [
    { name: "curl", hint: "Paste it into a terminal.", text: curl(apiKey) },
    { name: "TypeScript server", hint: "In a tool of your MCP server.", text: server(apiKey) },
    ...modelSnippets({ base: `${routerUrl}/t/${tenant}`, key: apiKey }),
    ...installSnippets(behind)
      .filter(({ client }) => shown.has(client))
      .map(({ client, where, text }) => ({
        name: client,
        hint: `Add it ${where}. Register the server first, and replace SERVER by its slug.`,
        text,
      })),
  ];
}
