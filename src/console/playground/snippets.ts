import { installSnippets, keyVariable } from "../../domain/servers/install.ts";
import { routerUrl, tenantHere } from "../place.ts";
import { curlOf, samplingRequest } from "./wire-request.ts";

export type Snippet = { name: string; hint: string; text: string };

const hello = samplingRequest({
  messages: [{ role: "user", content: { type: "text", text: "Say hello." } }],
  maxTokens: 100,
});

/** JavaScript for a text, which may have a variable of the shell in it. */
const textIn = (text: string): string =>
  text.includes("$") ? `\`${text.replace(/\$(\w+)/, "${process.env.$1}")}\`` : `"${text}"`;

/** Names without quotes, as formatters write them. */
const sourceOf = (value: object): string =>
  JSON.stringify(value, null, 2)
    .replace(/"(Bearer .*)"/, (_all, text: string) => textIn(text))
    .replaceAll(/"(\w+)":/g, "$1:")
    .replaceAll("\n", "\n  ");

const server = (key: string): string => `const answer = await fetch("${routerUrl}${hello.path}", {
  method: "POST",
  headers: ${sourceOf({ Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...hello.headers })},
  body: JSON.stringify(${sourceOf(hello.body)}),
});
const { result, error } = await answer.json();`;

const openai = (base: string, key: string): string => `import OpenAI from "openai";

const models = new OpenAI({ baseURL: "${base}/v1", apiKey: ${textIn(key)} });
const answer = await models.chat.completions.create({
  model: "auto",
  messages: [{ role: "user", content: "Say hello." }],
});`;

const anthropic = (base: string, key: string): string => `import Anthropic from "@anthropic-ai/sdk";

const models = new Anthropic({ baseURL: "${base}", apiKey: ${textIn(key)} });
const answer = await models.messages.create({
  model: "auto",
  max_tokens: 200,
  messages: [{ role: "user", content: "Say hello." }],
});`;

const claudeCode = (base: string, key: string): string =>
  `ANTHROPIC_BASE_URL=${base} ANTHROPIC_AUTH_TOKEN=${key} claude`;

const codex = (base: string, key: string): string => `${keyVariable}=${key} codex \\
  -c model_provider=router \\
  -c 'model_providers.router={name="Sampling Router",base_url="${base}/v1",env_key="${keyVariable}",wire_api="responses"}'`;

/** Clients that are shown here; `GET …/servers/{server}/install` has more of them. */
const shown = new Set(["Claude Code", "VS Code", "Cursor"]);

export function snippetsFor({ apiKey: key }: { apiKey: string }): Snippet[] {
  const tenant = tenantHere();
  const base = `${routerUrl}/t/${tenant}`;
  const program = "In a program that calls models itself.";
  const ownModels = "Its own model calls go to the router. Paste it into a terminal.";
  const behind = { url: `${routerUrl}/mcp/${tenant}/SERVER`, name: "SERVER", key };
  return [
    {
      name: "curl",
      hint: "Paste it into a terminal.",
      text: curlOf(hello, { url: routerUrl, key }),
    },
    { name: "TypeScript server", hint: "In a tool of your MCP server.", text: server(key) },
    { name: "OpenAI SDK", hint: program, text: openai(base, key) },
    { name: "Anthropic SDK", hint: program, text: anthropic(base, key) },
    { name: "Claude Code’s models", hint: ownModels, text: claudeCode(base, key) },
    { name: "Codex’s models", hint: ownModels, text: codex(base, key) },
    ...installSnippets(behind)
      .filter(({ client }) => shown.has(client))
      .map(({ client, where, text }) => ({
        name: `MCP in ${client}`,
        hint: `Add it ${where}. Register the server first, and replace SERVER by its slug.`,
        text,
      })),
  ];
}
