import { newerServerMessage } from "./bridging.ts";
import type { Learnt } from "./server.ts";

export type Probed =
  | { kind: "silent"; why: string }
  /** not called, because the address is not allowed */
  | { kind: "unasked"; problem: string }
  | {
      kind: "mcp";
      status: number;
      era: "legacy" | "modern";
      revision: string;
      name: string | null;
      /** null: no tools, or an unreadable list */
      tools: number | null;
      isMore: boolean;
    }
  /** rejects `server/discover`; `newer`: its unsupported revisions */
  | { kind: "undiscovered"; status: number; newer: readonly string[] }
  /** HTTP+SSE of 2024-11-05 */
  | { kind: "sse"; status: number }
  /** JSON-RPC that rejects `initialize` */
  | { kind: "rpc_error"; status: number; code: number }
  | { kind: "other"; status: number; mediaType: string; location: string | null };

export interface ServerCheck {
  ok: boolean;
  status: number | null;
  detail: string;
  era: "legacy" | "modern" | null;
  name: string | null;
  tools: number | null;
}

const mostShown = 100;

/** Sanitizes foreign text. */
const shown = (text: string): string =>
  text
    .replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, "")
    .trim()
    .slice(0, mostShown);

function mcpSentence(found: Extract<Probed, { kind: "mcp" }>): string {
  const { revision, name, tools, isMore } = found;
  const called = name === null ? "" : ` "${shown(name)}"`;
  const counted =
    tools === null
      ? "no tools"
      : `${isMore ? "more than " : ""}${tools} tool${tools === 1 ? "" : "s"}`;
  return `An MCP server${called}, revision ${shown(revision)}, ${counted}.`;
}

function otherSentence({
  status,
  mediaType,
  location,
}: Extract<Probed, { kind: "other" }>): string {
  if (status === 401)
    return "The server refuses what the router sends (401): check the entry's headers or its OAuth.";
  if (status === 403)
    return "The server forbids what the router asks (403): check its permissions.";
  if (status >= 300 && status < 400)
    return `The URL redirects (${status})${location === null ? "" : ` to ${shown(location)}`}: register the address itself.`;
  if (status === 404 || status === 410)
    return `The path is wrong: nothing is there (${status}). Many MCP servers are at /mcp.`;
  if (status === 405)
    return "The path is wrong: it takes no POST (405). Many MCP servers are at /mcp.";
  if (status === 429) return "The server limits the router (429): try again later.";
  if (status >= 500) return `The server fails (${status}).`;
  if (mediaType === "text/html")
    return `A page for people, and no MCP server (${status}, text/html): the path or the host is wrong.`;
  const type = mediaType === "" ? "without a media type" : shown(mediaType);
  return `Not an MCP server: it returns ${status}, ${type}, and no JSON-RPC message.`;
}

/** A legacy answer is not conclusive, because the modern attempt may have failed, so the era is forgotten. */
export function eraCorrection(
  { era: known }: Learnt,
  { era: found }: Pick<ServerCheck, "era">,
): { era: "modern" | null; beginsSessions: null } | null {
  if (found === null || known === found) return null;
  if (found === "modern") return { era: "modern", beginsSessions: null };
  return known === undefined ? null : { era: null, beginsSessions: null };
}

export function serverCheckOf(probed: Probed): ServerCheck {
  const none = { era: null, name: null, tools: null };
  switch (probed.kind) {
    case "silent":
      return {
        ...none,
        ok: false,
        status: null,
        detail: `No answer from ${probed.why}.`,
      };
    case "unasked":
      return { ...none, ok: false, status: null, detail: `Not asked. ${probed.problem}` };
    case "mcp":
      return {
        ok: true,
        status: probed.status,
        detail: mcpSentence(probed),
        era: probed.era,
        name: probed.name === null ? null : shown(probed.name),
        tools: probed.tools,
      };
    case "undiscovered":
      return {
        ...none,
        ok: false,
        status: probed.status,
        era: "modern",
        detail:
          probed.newer.length === 0
            ? "An MCP server of 2026-07-28 or later that refuses server/discover."
            : `An MCP server. ${newerServerMessage(probed.newer.map(shown))}`,
      };
    case "sse":
      return {
        ...none,
        ok: false,
        status: probed.status,
        detail:
          "An MCP server of the transport HTTP+SSE (2024-11-05), which the router does not speak: use its Streamable HTTP endpoint.",
      };
    case "rpc_error":
      return {
        ...none,
        ok: false,
        status: probed.status,
        detail: `A service of JSON-RPC that refuses initialize (error ${probed.code}), so no MCP server is at this path.`,
      };
    case "other":
      return { ...none, ok: false, status: probed.status, detail: otherSentence(probed) };
  }
}
