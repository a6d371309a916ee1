/**
 * Samples for the entries of one round, some of which may need approval. A client waits about a minute and an approver may
 * take a day, so the client gets a state to come back with, as from a server that sheds load. Source: 2026-07-28,
 * basic/patterns/mrtr.
 */
import type { JsonObject } from "../../domain/json.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import type { SamplingCall } from "../../domain/sampling/call.ts";
import { featuresOf } from "../../domain/sampling/negotiation.ts";
import type { ReplayKey } from "../../domain/sampling/replay-key.ts";
import type { SamplingEntry } from "../../domain/sampling/rounds.ts";
import { deniedBy } from "../../domain/servers/answering.ts";
import type { RouterCapabilities } from "../../domain/servers/offer.ts";
import { encodeInput, modernCodec, type ModernMeta } from "../../mcp/rev2026/codec.ts";
import type { Exchange } from "../exchange.ts";
import { sampleForServer, type SamplingDeps } from "../sample-for-server.ts";

/** JSON text, or a refusal with the id of the sampling request's record. */
export type Answered = Result<string, { refusal: Refusal; requestId: string | null }>;

export interface RoundSampler {
  decode(params: JsonObject): Result<SamplingCall, Refusal>;
  sample(
    entry: SamplingEntry,
    options: {
      signal: AbortSignal;
      replayKey: ReplayKey | null;
    },
  ): Promise<Answered>;
}

/** Samples from the tenant's models on behalf of the client. */
export function createRoundSampler(
  services: SamplingDeps,
  exchange: Exchange,
  context: { tool: string | null; meta: ModernMeta; routerCapabilities: RouterCapabilities },
): RoundSampler {
  const { tool, meta, routerCapabilities } = context;
  // What was advertised to the server, and what it may ask beyond that by the router's own keys.
  const capabilities: JsonObject =
    routerCapabilities === null
      ? {}
      : {
          sampling: {
            ...(routerCapabilities.tools ? { tools: {} } : {}),
            supportedModalities: [...routerCapabilities.supportedModalities],
          },
        };
  return {
    decode: modernCodec.decodeCall,
    async sample({ params }, { signal, replayKey }) {
      // The server may have taken minutes, so the tenant is read again.
      const now = await exchange.current();
      if (!now.ok) return err({ refusal: now.error, requestId: null });
      const server = now.value.server ?? exchange.server;
      const { requestId, outcome } = await sampleForServer(services, {
        caller: now.value,
        server,
        exchange,
        request: {
          params,
          codec: modernCodec,
          declared: { capabilities, features: featuresOf(meta.capabilities) },
          clientInfo: meta.clientInfo,
          tool,
          messageId: null,
          replayKey,
          oversizedBytes: null,
          // A server to which no sampling was advertised is refused, whatever the entry says now.
          denied: deniedBy(exchange.server) ?? deniedBy(server),
        },
        signal,
      });
      if (!outcome.ok) return err({ refusal: outcome.error, requestId });
      const { answer, call } = outcome.value;
      return ok(JSON.stringify(encodeInput(answer, call)));
    },
  };
}

/** Characters of a server's question that a state may hold. The client sends the state back in each request. */
const maxCharacters = 256 * 1024;

export type EntryOutcome =
  | { kind: "answered"; key: string; text: string }
  | { kind: "waits"; key: string; replayKey: ReplayKey }
  | { kind: "failed" };

/**
 * The key of an entry with a pending approval; null: none is pending. The pipeline identifies a call without a key by the id
 * of its record.
 */
async function waitingKeyOf(
  error: { refusal: Refusal; requestId: string | null },
  {
    replayKey,
    sha256Hex,
  }: { replayKey: ReplayKey | null; sha256Hex: (text: string) => Promise<string> },
): Promise<ReplayKey | null> {
  if (error.refusal.reason !== "approval_pending") return null;
  if (replayKey !== null) return replayKey;
  return error.requestId === null
    ? null
    : { kind: "client", key: await sha256Hex(error.requestId) };
}

/** Whether the client can come back for the round: all entries are the router's, and the question fits a state. */
export const canComeBack = (
  response: string,
  keys: { asked: readonly string[]; ours: readonly string[]; callsAgain: "client" | "router" },
): boolean =>
  keys.callsAgain === "client" &&
  response.length <= maxCharacters &&
  keys.asked.every((key) => keys.ours.includes(key));

interface SampledEntries {
  outcomes: EntryOutcome[];
  /** the first failure, else a pending approval */
  refused: { refusal: Refusal; requestId: string | null } | null;
  /** nothing failed, and an approval is pending */
  isHeld: boolean;
}

export async function sampleEntries(
  entries: readonly { entry: SamplingEntry; replayKey: ReplayKey | null }[],
  deps: {
    sampler: Pick<RoundSampler, "sample">;
    signal: AbortSignal;
    sha256Hex: (text: string) => Promise<string>;
  },
): Promise<SampledEntries> {
  const { sampler, sha256Hex } = deps;
  const failed = new AbortController();
  const signal = AbortSignal.any([deps.signal, failed.signal]);
  let failure: SampledEntries["refused"] = null;
  let pending: SampledEntries["refused"] = null;
  const outcomes = await Promise.all(
    entries.map(async ({ entry, replayKey }): Promise<EntryOutcome> => {
      const { key } = entry;
      const answered = await sampler.sample(entry, { signal, replayKey });
      if (answered.ok) return { kind: "answered", key, text: answered.value };
      const waitsBy = await waitingKeyOf(answered.error, { replayKey, sha256Hex });
      if (waitsBy !== null) pending ??= answered.error;
      if (waitsBy !== null) return { kind: "waits", key, replayKey: waitsBy };
      // The first failure is reported, and cancels the other entries.
      failure ??= answered.error;
      failed.abort();
      return { kind: "failed" };
    }),
  );
  return {
    outcomes,
    refused: failure ?? pending,
    isHeld: failure === null && pending !== null,
  };
}
