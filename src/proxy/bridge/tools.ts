/** What `tools/list` says about a server's tools: which arguments also travel in headers, and whose output is wrapped. */
import { own, type JsonObject } from "../../domain/json.ts";
import type { ParamHeader, Session } from "../../domain/tenancy/session.ts";
import { wrappedOutputsIn, type WrappedOutputs } from "../../mcp/translate/older-shapes.ts";
import { paramHeadersIn } from "../../mcp/translate/param-headers.ts";
import { modernRequest } from "../../mcp/translate/to-modern.ts";
import { modernRevision } from "../../mcp/rev2026/codec.ts";
import { headersFor, sendOn, type Exchange } from "../exchange.ts";
import { dropBody, readAnswer } from "../first-answer.ts";
import type { BridgeServices } from "./services.ts";

const timeoutMs = 30_000;
/** Tools on later pages get no headers. */
const maxPages = 20;
/** Stored in the session's row. Beyond it, outputs stay as they are. */
const maxRememberedCharacters = 64 * 1024;

function remembered(outputs: WrappedOutputs): WrappedOutputs | null {
  const wrapped = Object.fromEntries(Object.entries(outputs).filter(([, isWrapped]) => isWrapped));
  return JSON.stringify(wrapped).length > maxRememberedCharacters ? null : wrapped;
}

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
    const sent = await sendOn(services, exchange, {
      method: "POST",
      headers: headersFor(exchange.headers, [
        ["MCP-Protocol-Version", modernRevision],
        ["Mcp-Method", "tools/list"],
      ]),
      body: modernRequest(text, { capabilities: {}, clientInfo, logLevel: null }),
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
  const tools = { paramHeaders, wrapped: remembered(wrapped) ?? {} };
  await services.sessions.amendBridge(session, tools);
  // If storing fails, this call still uses the tools, and the next one reads them again.
  return { ...session, bridge: { offers: {}, ...session.bridge, to: "modern", ...tools } };
}

export async function noteTools(
  services: Pick<BridgeServices, "sessions">,
  session: Session,
  result: unknown,
): Promise<void> {
  const { bridge } = session;
  // Tools that have not been read are read before the first call.
  if (bridge?.to !== "modern" || bridge.wrapped === undefined) return;
  const { wrapped } = bridge;
  const listed = wrappedOutputsIn(result);
  const isKnown = ([tool, isWrapped]: [string, boolean]): boolean =>
    (own(wrapped, tool) === true) === isWrapped;
  if (Object.entries(listed).every(isKnown)) return;
  const next = remembered({ ...wrapped, ...listed });
  if (next !== null) await services.sessions.amendBridge(session, { wrapped: next });
}
