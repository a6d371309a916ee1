/** Finds out the era of a server: the router sends its own `server/discover`, never a client's request. */
import type { JsonObject } from "../../domain/json.ts";
import type { Refusal } from "../../domain/refusals.ts";
import type { Learned } from "../../domain/servers/server.ts";
import { modernRevision } from "../../mcp/rev2026/codec.ts";
import {
  discoveredIn,
  discoverMethod,
  discoverText,
  type Discovered,
} from "../../mcp/translate/discovery.ts";
import { headersFor, sendOn, type Exchange } from "../exchange.ts";
import { dropBody, readAnswer } from "../first-answer.ts";
import type { BridgeServices } from "./services.ts";

const timeoutMs = 15_000;

export type Discovery = Discovered & {
  failure: Refusal | null;
  discoverAnswer: DiscoverAnswer | null;
};

export interface DiscoverAnswer {
  status: number;
  answer: JsonObject | null;
}

export async function discover(
  services: Pick<BridgeServices, "background" | "upstream" | "wait">,
  exchange: Exchange,
): Promise<Discovery> {
  // A deadline for the whole answer: a server may begin a stream and send nothing in it.
  const late = new AbortController();
  const answered = new AbortController();
  services.background(services.wait(timeoutMs, answered.signal).then(() => late.abort()));
  try {
    const sent = await sendOn(services, exchange, {
      method: "POST",
      headers: headersFor(exchange.headers, [
        ["MCP-Protocol-Version", modernRevision],
        ["Mcp-Method", discoverMethod],
      ]),
      body: discoverText,
      signal: AbortSignal.any([exchange.left, late.signal]),
      timeoutMs,
    });
    if (!sent.ok) return { era: null, failure: sent.error, discoverAnswer: null };
    const read = await readAnswer(sent.value);
    if (!read.ok) return { era: null, failure: read.error, discoverAnswer: null };
    await dropBody(read.value);
    const { status } = sent.value;
    const { answer } = read.value;
    return {
      ...discoveredIn(status, answer ?? undefined),
      failure: null,
      discoverAnswer: { status, answer },
    };
  } finally {
    answered.abort();
  }
}

type Learning = { [K in keyof Learned]?: Learned[K] | undefined };

function learnedWith(known: Learned, learning: Learning): Learned {
  const entries = Object.entries({ ...known, ...learning });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** If the store is unreachable, nothing is written, and the next request asks again. */
export async function learn(
  services: Pick<BridgeServices, "callerMemory" | "servers">,
  { server, caller }: Pick<Exchange, "server" | "caller">,
  learned: Learning,
): Promise<void> {
  // Also updates the server in memory. Otherwise every request until the next read would ask.
  services.callerMemory.amend(caller.memoryKey, (remembered) => ({
    ...remembered,
    server: remembered.server && {
      ...remembered.server,
      learned: learnedWith(remembered.server.learned, learned),
    },
  }));
  const written = Object.fromEntries(
    Object.entries(learned).map(([name, value]) => [name, value ?? null]),
  );
  await services.servers.learn(server.tenantId, server.id, written);
}

interface Era {
  era: "legacy" | "modern" | null;
  discovered: JsonObject | null;
  /** null: the server was not asked, or did not answer */
  discoverAnswer: DiscoverAnswer | null;
}

/** @param asks the client's era: only a modern client profits from a server that now supports its era */
export async function eraOf(
  services: Pick<
    BridgeServices,
    "background" | "callerMemory" | "retests" | "servers" | "upstream" | "wait"
  >,
  exchange: Exchange,
  asks: "legacy" | "modern",
): Promise<Era> {
  const { server } = exchange;
  const known = server.learned.era ?? null;
  const isTested =
    known === "legacy" && asks === "modern" && services.retests.isDue(server, "modern");
  if (known !== null && !isTested) return { era: known, discovered: null, discoverAnswer: null };
  const discovered = await discover(services, exchange);
  const { discoverAnswer } = discovered;
  if (discovered.era === null) return { era: known, discovered: null, discoverAnswer };
  if (discovered.era === "legacy") services.retests.note(server, "modern");
  if (discovered.era !== known) await learn(services, exchange, { era: discovered.era });
  return {
    era: discovered.era,
    discovered: discovered.era === "modern" ? discovered.result : null,
    discoverAnswer,
  };
}
