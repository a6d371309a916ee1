import { installSnippets, keyVariable } from "../../domain/servers/install.ts";
import { routerUrl, tenantHere } from "../place.ts";
import { curlOf, ownKey, samplingRequest } from "./wire-request.ts";

/** By default, programs read it from their environment. */
type Key = string | undefined;
export type Snippet = readonly [group: string, name: string, hint: string, text: string];

const messages = [{ role: "user", content: "Say hello." }];
const chat = { path: "/v1/chat/completions", headers: {}, body: { model: "auto", messages } };
const sampling = samplingRequest({
  messages: [{ role: "user", content: { type: "text", text: "Say hello." } }],
  maxTokens: 100,
});

/** The key, or where a program reads it. */
const keyIn = (key: Key, variable: string): string => (key === undefined ? variable : `"${key}"`);
const inScript = (key: Key): string => keyIn(key, `process.env.${keyVariable}`);

const openai = (key: Key): string => `import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${routerUrl}/v1", apiKey: ${inScript(key)} });
const answer = await client.chat.completions.create({
  model: "auto",
  messages: [{ role: "user", content: "Say hello." }],
});
console.log(answer.choices[0].message.content);`;

const python = (key: Key): string => `import os

from openai import OpenAI

client = OpenAI(base_url="${routerUrl}/v1", api_key=${keyIn(key, `os.environ["${keyVariable}"]`)})
answer = client.chat.completions.create(
    model="auto",
    messages=[{"role": "user", "content": "Say hello."}],
)
print(answer.choices[0].message.content)`;

const anthropic = (key: Key): string => `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({ baseURL: "${routerUrl}", apiKey: ${inScript(key)} });
const answer = await client.messages.create({
  model: "auto",
  max_tokens: 200,
  messages: [{ role: "user", content: "Say hello." }],
});
console.log(answer.content);`;

/** Names without quotes, as formatters write them. */
const sourceOf = (value: object): string =>
  JSON.stringify(value, null, 2)
    .replaceAll(/"(\w+)":/g, "$1:")
    .replaceAll("\n", "\n  ");

const server = (key: Key): string => {
  const headers = { Authorization: "", "Content-Type": "application/json", ...sampling.headers };
  return `const answer = await fetch("${routerUrl}${sampling.path}", {
  method: "POST",
  headers: ${sourceOf(headers).replace('""', `"Bearer " + ${inScript(key)}`)},
  body: JSON.stringify(${sourceOf(sampling.body)}),
});
const { result, error } = await answer.json();
console.log(error ?? result.content);`;
};

const claudeCode = (key: Key): string =>
  `ANTHROPIC_BASE_URL=${routerUrl} ANTHROPIC_AUTH_TOKEN=${key ?? ownKey} claude`;

const codex = (key: Key): string => `${keyVariable}=${key ?? ownKey} codex \\
  -c model_provider=router \\
  -c 'model_providers.router={name="Sampling Router",base_url="${routerUrl}/v1",env_key="${keyVariable}",wire_api="responses"}'`;

/** Clients that are shown here; `GET …/servers/{server}/install` has more of them. */
const shown = new Set(["Claude Code", "VS Code", "Cursor"]);

export function snippetsFor(key: Key): Snippet[] {
  const [models, agents, mcp] = ["Programs that call models", "Coding agents", "MCP"] as const;
  const terminal = "Paste it into a terminal.";
  const own = `Its own model calls go to the router. ${terminal}`;
  const at = { url: routerUrl, key };
  const url = `${routerUrl}/mcp/${tenantHere()}/SERVER`;
  return [
    [models, "OpenAI SDK (TypeScript)", "First: npm install openai", openai(key)],
    [models, "OpenAI SDK (Python)", "First: pip install openai", python(key)],
    [models, "Anthropic SDK (TypeScript)", "First: npm install @anthropic-ai/sdk", anthropic(key)],
    [models, "curl", terminal, curlOf(chat, at)],
    [agents, "Claude Code", own, claudeCode(key)],
    [agents, "Codex", own, codex(key)],
    [mcp, "Sampling (TypeScript)", "In a tool of your MCP server.", server(key)],
    [mcp, "Sampling (curl)", terminal, curlOf(sampling, at)],
    ...installSnippets({ url, name: "SERVER", key: key ?? null })
      .filter(({ client }) => shown.has(client))
      .map(({ client, where, text }): Snippet => {
        const hint = `Add it ${where}. Register the server first, and replace SERVER by its slug.`;
        return [mcp, `MCP in ${client}`, hint, text];
      }),
  ];
}
