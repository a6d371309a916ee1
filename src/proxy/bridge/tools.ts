/**
 * What the router has to know of a server's tools before one is called, read from `tools/list`: which arguments
 * also travel in headers, and whose output is wrapped for an older client.
 */
import { own, type JsonObject } from "../../domain/json.ts";
import type { ParamHeader, Session } from "../../domain/tenancy/session.ts";
import { wrappedOutputsIn, type WrappedOutputs } from "../../mcp/translate/older-shapes.ts";
import { paramHeadersIn } from "../../mcp/translate/param-headers.ts";
import { modernRequest } from "../../mcp/translate/to-modern.ts";
import { modernRevision } from "../../mcp/rev2026/codec.ts";
import type { BridgeServices } from "./services.ts";
import type { Exchange } from "../exchange.ts";
import { dropBody, readAnswer } from "../first-answer.ts";
import { headersFor } from "./era.ts";

const timeoutMs = 30_000;
/** Pages of tools that are read. Tools on later pages get no headers. */
const maxPages = 20;

/** Characters that a session's row has room for. Where there is more, outputs stay as they are. */
const mostRememberedChars = 64 * 1024;

/** The tools whose output is wrapped, which are few; null: they are too many to be kept. */
function remembered(outputs: WrappedOutputs): WrappedOutputs | null {
  const wrapped = Object.fromEntries(Object.entries(outputs).filter(([, isWrapped]) => isWrapped));
  return JSON.stringify(wrapped).length > mostRememberedChars ? null : wrapped;
}

/**
 * The session with the tools that its server lists now; null: the tools could not be read, and the session
 * keeps the old ones.
 */
export async function readTools(
  services: Pick<BridgeServices, "sessions" | "upstream">,
  exchange: Exchange,
  { session, left }: { session: Session; left: AbortSignal },
): Promise<Session | null> {
  const paramHeaders: Record<string, readonly ParamHeader[]> = {};
  const wrapped: Record<string, boolean> = {};
  let cursor: string | null = null;
  for (let page = 0; page < maxPages; page += 1) {
    const params: JsonObject = cursor === null ? {} : { cursor };
    const text = JSON.stringify({
      jsonrpc: "2.0",
      id: "sampling-router-tools",
      method: "tools/list",
      params,
    });
    const { clientInfo } = session;
    const sent = await services.upstream({
      server: exchange.server,
      caller: exchange.caller,
      method: "POST",
      headers: headersFor(exchange.headers, [
        ["MCP-Protocol-Version", modernRevision],
        ["Mcp-Method", "tools/list"],
      ]),
      authorization: exchange.authorization,
      body: modernRequest(text, { capabilities: {}, clientInfo }),
      signal: left,
      timeoutMs,
    });
    if (!sent.ok) return null;
    const read = await readAnswer(sent.value);
    if (!read.ok) return null;
    await dropBody(read.value);
    const result = own(read.value.answer, "result");
    if (result === undefined) return null;
    Object.assign(paramHeaders, paramHeadersIn(result));
    Object.assign(wrapped, wrappedOutputsIn(result));
    const next = own(result, "nextCursor");
    if (typeof next !== "string") break;
    cursor = next;
  }
  const bridge = { to: "modern", paramHeaders, wrapped: remembered(wrapped) ?? {} } as const;
  await services.sessions.setBridge(session, bridge);
  // Where it could not be stored, this call goes by it, and the next one reads the tools again.
  return { ...session, bridge };
}

/** The client reads the tools again, and goes by what it has read from then on. */
export async function noteTools(
  services: Pick<BridgeServices, "sessions">,
  session: Session,
  result: unknown,
): Promise<void> {
  const { bridge } = session;
  // Tools that have not been read yet are read before the first call.
  if (bridge?.to !== "modern" || bridge.wrapped === undefined) return;
  const { wrapped } = bridge;
  const listed = wrappedOutputsIn(result);
  const isKnown = ([tool, isWrapped]: [string, boolean]): boolean =>
    (own(wrapped, tool) === true) === isWrapped;
  if (Object.entries(listed).every(isKnown)) return;
  const next = remembered({ ...wrapped, ...listed });
  if (next !== null) await services.sessions.setBridge(session, { ...bridge, wrapped: next });
}
