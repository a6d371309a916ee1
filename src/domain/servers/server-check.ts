import { newerServerMessage } from "./bridging.ts";
import type { Learned } from "./server.ts";

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

const maxShown = 100;

const shown = (text: string): string =>
  text
    .replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, "")
    .trim()
    .slice(0, maxShown);

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
    return "The server rejected the router's credentials (401). Check the entry's headers or OAuth settings.";
  if (status === 403)
    return "The server denied access (403). Check the permissions of the entry's credentials.";
  if (status >= 300 && status < 400)
    return `The URL redirects (${status})${location === null ? "" : ` to ${shown(location)}`}: register that URL instead.`;
  if (status === 404 || status === 410)
    return `The path is wrong: not found (${status}). Many MCP servers are at /mcp.`;
  if (status === 405)
    return "The path is wrong: it doesn't accept POST (405). Many MCP servers are at /mcp.";
  if (status === 429) return "The server rate-limits the router (429). Try again later.";
  if (status >= 500) return `The server failed (${status}).`;
  if (mediaType === "text/html")
    return `A web page, not an MCP server (${status}, text/html). Check the host and path.`;
  const type = mediaType === "" ? "without a media type" : shown(mediaType);
  return `Not an MCP server: it returned ${status}, ${type}, and no JSON-RPC message.`;
}

/** A legacy answer is not conclusive, because the modern attempt may have failed, so the era is forgotten. */
export function eraCorrection(
  { era: known }: Learned,
  { era: found }: Pick<ServerCheck, "era">,
): { era: "modern" | null; acceptsInitialize: null } | null {
  if (found === null || known === found) return null;
  if (found === "modern") return { era: "modern", acceptsInitialize: null };
  return known === undefined ? null : { era: null, acceptsInitialize: null };
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
      return { ...none, ok: false, status: null, detail: `Not called. ${probed.problem}` };
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
          "An MCP server with the HTTP+SSE transport (2024-11-05), which the router doesn't support. Use its Streamable HTTP endpoint.",
      };
    case "rpc_error":
      return {
        ...none,
        ok: false,
        status: probed.status,
        detail: `A JSON-RPC service that rejects initialize (error ${probed.code}), so this path has no MCP server.`,
      };
    case "other":
      return { ...none, ok: false, status: probed.status, detail: otherSentence(probed) };
  }
}
