/** Printed once the router answers. */
import { join } from "node:path";
import { keyVariable } from "../domain/servers/install.ts";
import type { Issuing } from "../domain/servers/issuing.ts";
import { usualPort } from "./listening.ts";

export interface Place {
  urlHost: string;
  port: number;
}

const originOf = ({ urlHost, port }: Place): string => `http://${urlHost}:${port}`;

export interface Welcome {
  at: Place;
  key: string | null;
  scopes: readonly string[];
  /** `null` if set by the environment */
  adminToken: string | null;
  /** production output is stored, so it contains no secrets */
  isDemo: boolean;
  stateDir: string;
  database: string;
  providers: readonly string[];
  /** an origin, or why it is missing */
  issuer: Issuing["issuer"];
  startedMs: number;
}

const example = JSON.stringify({
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
});

/** Shells treat brackets of IPv6 addresses as a pattern. */
const quoted = (text: string): string => (text.includes("[") ? `'${text}'` : text);

/** For sh. `--noproxy`, since a proxy can't reach loopback. */
export const curlLine = (at: Place, key: string): string =>
  `curl -sS --noproxy ${at.urlHost.replaceAll(/[[\]]/g, "")} ${quoted(`${originOf(at)}/v1/sampling`)} ` +
  `-H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' ` +
  "-H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: sampling/createMessage' " +
  `-d '${example}'`;

/** For sh. Values need no quoting. */
export const exportLine = (key: string, adminToken: string | null): string =>
  `export ${keyVariable}=${key}${adminToken === null ? "" : ` ADMIN_TOKEN=${adminToken}`}`;

const tokenOf = ({ adminToken, isDemo, stateDir }: Welcome): string =>
  adminToken === null
    ? "as given in ADMIN_TOKEN"
    : isDemo
      ? adminToken
      : `"adminToken" in ${join(stateDir, "secrets.json")}`;

function providersOf({ providers, isDemo }: Welcome): string {
  if (providers.includes("demo"))
    return "demo: canned answers; set OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY or OLLAMA_HOST for real ones";
  if (isDemo) return providers.join(", ");
  return providers.length === 0
    ? "none in the environment; add credentials to your tenants"
    : `${providers.join(", ")}  (tenant default)`;
}

const tryIt = (at: Place, key: string, adminToken: string | null): string[] => [
  at.port === usualPort
    ? "For the README's examples:"
    : `For the README's examples, with ${at.port} in place of ${usualPort}:`,
  exportLine(key, adminToken),
  "",
  "Try it:",
  curlLine(at, key),
  "",
];

export function welcome(facts: Welcome): string {
  const { at, key, scopes, adminToken, isDemo, stateDir, database, issuer, startedMs } = facts;
  const rows = [
    ["Console", `${originOf(at)}/console`],
    ["Admin token", tokenOf(facts)],
    ...(key === null ? [] : [["API key", `${key}  (tenant demo; scopes ${scopes.join(", ")})`]]),
    ["Providers", providersOf(facts)],
    [
      "OAuth",
      issuer.ok ? `tokens of ${issuer.value}` : `off: ${issuer.error}; programs send API keys`,
    ],
    ["Database", database],
    ["State", stateDir],
  ];
  return [
    `Sampling Router is ready after ${(startedMs / 1000).toFixed(1)} s.`,
    "",
    ...rows.map(([name, value]) => `  ${(name ?? "").padEnd(12)} ${value}`),
    "",
    ...(key === null || !isDemo ? [] : tryIt(at, key, adminToken)),
    "Press Ctrl-C to stop. All state is kept for the next start.",
  ].join("\n");
}
