/** Which era a server speaks: asked once with `server/discover`, never with what a client wants of it. */
import type { JsonObject } from "../../domain/json.ts";
import type { Refusal } from "../../domain/refusals.ts";
import type { Learnt } from "../../domain/servers/server.ts";
import {
  discoveredIn,
  discoverMethod,
  discoverText,
  type Discovered,
} from "../../mcp/translate/discovery.ts";
import { modernRevision } from "../../mcp/rev2026/codec.ts";
import type { BridgeServices } from "./services.ts";
import type { Exchange } from "../exchange.ts";
import { dropBody, readAnswer } from "../first-answer.ts";

const timeoutMs = 15_000;

/** The client's headers as another era's message carries them. */
export function headersFor(from: Headers, own: Iterable<readonly [string, string]>): Headers {
  const headers = new Headers(from);
  for (const name of from.keys())
    if (name.startsWith("mcp-") || name === "last-event-id") headers.delete(name);
  headers.set("Content-Type", "application/json");
  headers.set("Accept", "application/json, text/event-stream");
  for (const [name, value] of own) headers.set(name, value);
  return headers;
}

export type Asked = Discovered & {
  /** why there is no answer at all; null: it answered */
  unheard: Refusal | null;
  /** HTTP status and message of an answer; null: there is none */
  said: Said | null;
};

export interface Said {
  status: number;
  answer: JsonObject | null;
}

export async function discover(services: BridgeServices, exchange: Exchange): Promise<Asked> {
  // Of the whole answer: a server may begin a stream and never say anything in it.
  const late = new AbortController();
  const heard = new AbortController();
  services.background(services.wait(timeoutMs, heard.signal).then(() => late.abort()));
  try {
    const sent = await services.upstream({
      server: exchange.server,
      method: "POST",
      headers: headersFor(exchange.headers, [
        ["MCP-Protocol-Version", modernRevision],
        ["Mcp-Method", discoverMethod],
      ]),
      authorization: exchange.authorization,
      body: discoverText,
      signal: AbortSignal.any([exchange.left, late.signal]),
      timeoutMs,
    });
    if (!sent.ok) return { era: null, unheard: sent.error, said: null };
    const read = await readAnswer(sent.value);
    if (!read.ok) return { era: null, unheard: read.error, said: null };
    await dropBody(read.value);
    const { status } = sent.value;
    const { answer } = read.value;
    return {
      ...discoveredIn(status, answer ?? undefined),
      unheard: null,
      said: { status, answer },
    };
  } finally {
    heard.abort();
  }
}

/** `undefined` forgets. Not written: the next one asks again. */
export async function learn(
  services: BridgeServices,
  { server }: Pick<Exchange, "server">,
  learnt: { [K in keyof Learnt]?: Learnt[K] | undefined },
): Promise<void> {
  // The remembered copy too, or every request until it is read again would ask.
  for (const [name, value] of Object.entries(learnt))
    if (value === undefined) delete server.learnt[name as keyof Learnt];
    else Object.assign(server.learnt, { [name]: value });
  const written = Object.fromEntries(
    Object.entries(learnt).map(([name, value]) => [name, value ?? null]),
  );
  await services.servers.learn(server.tenantId, server.id, written);
}

interface Era {
  /** null: it can't be told by now, and nothing is bridged */
  era: "legacy" | "modern" | null;
  /** what a modern server said of itself just now */
  discovered: JsonObject | null;
  /** what it answered just now; null: it was not asked, or did not answer */
  said: Said | null;
}

export async function eraOf(services: BridgeServices, exchange: Exchange): Promise<Era> {
  const known = exchange.server.learnt.era ?? null;
  if (known !== null) return { era: known, discovered: null, said: null };
  const discovered = await discover(services, exchange);
  const { said } = discovered;
  if (discovered.era === null) return { era: null, discovered: null, said };
  await learn(services, exchange, { era: discovered.era });
  return {
    era: discovered.era,
    discovered: discovered.era === "modern" ? discovered.result : null,
    said,
  };
}
