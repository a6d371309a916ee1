/**
 * The sampling entries of one round, of which a person may have to approve some. A client waits for a minute or so, and a
 * person may take a day. So the client gets a state to come back with, as from a server that sheds load. Source: 2026-07-28,
 * basic/patterns/mrtr.
 */
import type { Refusal } from "../../domain/refusals.ts";
import type { Result } from "../../domain/result.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { SamplingCall } from "../../domain/sampling/call.ts";
import type { ReplayKey } from "../../domain/sampling/replay-key.ts";
import type { SamplingEntry } from "../../domain/sampling/rounds.ts";

/** JSON text, or the refusal. `requestId` names the record of the sampling request. */
export type Answered = Result<string, { refusal: Refusal; requestId: string | null }>;

export interface RoundSampler {
  decode(params: JsonObject): Result<SamplingCall, Refusal>;
  /** Samples for one entry, and gives the result for the server as JSON text. */
  sample(
    entry: SamplingEntry,
    options: {
      signal: AbortSignal;
      /** the key of the round; null: the round is new */
      replayKey: ReplayKey | null;
    },
  ): Promise<Answered>;
}

/** Characters of a server's question that a state may hold. The client sends the state back in each request. */
const mostCharacters = 256 * 1024;

/** What came of one entry. */
export type EntryOutcome =
  | { kind: "answered"; key: string; text: string }
  | { kind: "waits"; key: string; replayKey: ReplayKey }
  | { kind: "failed" };

export const answersIn = (outcomes: readonly EntryOutcome[]): [key: string, text: string][] =>
  outcomes.flatMap((each): [string, string][] =>
    each.kind === "answered" ? [[each.key, each.text]] : [],
  );

/** null: the entry waits for nobody. The pipeline knows a call without a key by the id of its record. */
export async function waitingKeyOf(
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

/** Whether the client can come back for the round: nobody else is asked, and the question fits a state. */
export const canComeBack = (
  response: string,
  keys: { asked: readonly string[]; ours: readonly string[]; callsAgain: "client" | "router" },
): boolean =>
  keys.callsAgain === "client" &&
  response.length <= mostCharacters &&
  keys.asked.every((key) => keys.ours.includes(key));

/** `refused`: the first failure, or else what waits for a person. `isHeld`: nothing failed, and something waits. */
interface SampledEntries {
  outcomes: EntryOutcome[];
  refused: { refusal: Refusal; requestId: string | null } | null;
  isHeld: boolean;
}

export async function sampleEntries(
  entries: readonly SamplingEntry[],
  deps: {
    sampler: Pick<RoundSampler, "sample">;
    signal: AbortSignal;
    replayKeyOf: (key: string) => Promise<ReplayKey | null>;
    sha256Hex: (text: string) => Promise<string>;
  },
): Promise<SampledEntries> {
  const { sampler, sha256Hex } = deps;
  const failed = new AbortController();
  const signal = AbortSignal.any([deps.signal, failed.signal]);
  let failure: SampledEntries["refused"] = null;
  let pending: SampledEntries["refused"] = null;
  const outcomes = await Promise.all(
    entries.map(async (entry): Promise<EntryOutcome> => {
      const { key } = entry;
      const replayKey = await deps.replayKeyOf(key);
      const answered = await sampler.sample(entry, { signal, replayKey });
      if (answered.ok) return { kind: "answered", key, text: answered.value };
      const waitsBy = await waitingKeyOf(answered.error, { replayKey, sha256Hex });
      if (waitsBy !== null) pending ??= answered.error;
      if (waitsBy !== null) return { kind: "waits", key, replayKey: waitsBy };
      // The first failure says why. The entries that run beside it are needed no more.
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
