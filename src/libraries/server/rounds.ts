/**
 * A 2026-07-28 request over several rounds. The handler re-runs each round, and earlier answers are kept by position
 * and hash in a sealed `requestState`. Source: 2026-07-28, basic/patterns/mrtr.
 */
import { canonicalJson } from "../../domain/canonical.ts";
import { own } from "../../domain/json.ts";
import { isSamplingAnswer, samplingMethod } from "../../domain/sampling/rounds.ts";
import { localError } from "../sampling-error.ts";
import type { SamplingParams, SamplingResult } from "../sampling-shapes.ts";
import type { ContextV2 } from "./context.ts";
import type { Sealer } from "./sealed-state.ts";

/** ms until state expires */
const lifetimeMs = 3_600_000;

interface Answered {
  hash: string;
  result: SamplingResult;
}

interface State {
  /** random prefix of the request's idempotency keys */
  run: string;
  /** ms since the epoch */
  expiresAt: number;
  /** by position */
  answered: Record<string, Answered>;
  /** hash of the client's request by position */
  asked: Record<string, string>;
}

export interface Round {
  /**
   * Returns the kept answer, or calls `answer` with a key that is stable across rounds; null from it: ask the client.
   */
  take(
    params: SamplingParams,
    answer: (idempotencyKey: string) => Promise<SamplingResult> | null,
  ): Promise<SamplingResult>;
}

/** Unwinds the handler. The round asks the client even if the handler catches this error. */
class AsksClient extends Error {
  override readonly name = "AsksClient";
}

export interface InputRequired {
  resultType: "input_required";
  inputRequests: Record<string, { method: "sampling/createMessage"; params: SamplingParams }>;
  requestState: string;
  [member: string]: unknown;
}

const nameAt = (position: number | string): string => `sampling-router-${position}`;

async function hashOf(params: SamplingParams): Promise<string> {
  const digest = await crypto.subtle.digest(
    "SHA-256",
    new TextEncoder().encode(canonicalJson(params)),
  );
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function stateOf(context: ContextV2, sealer: Sealer, request: string): Promise<State> {
  const sent = context.mcpReq.requestState();
  const fresh: State = {
    run: crypto.randomUUID(),
    expiresAt: Date.now() + lifetimeMs,
    answered: {},
    asked: {},
  };
  if (sent === undefined) return fresh;
  if (typeof sent !== "string")
    throw localError(
      "state_invalid",
      "rounds needs the unchanged requestState: do not set a `verify` hook.",
    );
  const state = (await sealer.open(sent, request)) as State;
  if (state.expiresAt <= Date.now())
    throw localError("state_invalid", "requestState has expired: start again.");
  return state;
}

function answerFrom(responses: unknown, position: number): SamplingResult | null {
  const response = own(responses, nameAt(position));
  if (response === undefined) return null;
  if (!isSamplingAnswer(response))
    throw localError("invalid_answer", "The client's answer is not a sampling result.");
  return response as unknown as SamplingResult;
}

/** @param request method, arguments and user */
export async function runRound(
  { context, sealer, request }: { context: ContextV2; sealer: Sealer; request: string },
  handler: (round: Round) => unknown,
): Promise<unknown> {
  const state = await stateOf(context, sealer, request);
  /** by position */
  const asks: Record<number, SamplingParams> = {};
  const open: Promise<unknown>[] = [];
  let next = 0;
  const take = async (
    position: number,
    params: SamplingParams,
    answer: Parameters<Round["take"]>[1],
  ): Promise<SamplingResult> => {
    const hash = await hashOf(params);
    const kept = state.answered[position];
    if (kept?.hash === hash) return kept.result;
    const received =
      state.asked[position] === hash ? answerFrom(context.mcpReq.inputResponses, position) : null;
    const result = received ?? (await answer(`${state.run}:${position}:${hash.slice(0, 32)}`));
    if (result === null) {
      state.asked[position] = hash;
      asks[position] = params;
      throw new AsksClient("The client is asked, and the handler runs again with its answer.");
    }
    state.answered[position] = { hash, result };
    return result;
  };
  const round: Round = {
    take(params, answer) {
      // Assigns the position synchronously, so that concurrent calls keep their order.
      const taken = take(next++, params, answer);
      open.push(taken);
      return taken;
    },
  };
  const [ended] = await Promise.allSettled([(async () => handler(round))()]);
  // Concurrent calls may already be paid for.
  await Promise.allSettled(open);
  if (Object.keys(asks).length > 0)
    return inputRequired(ended, asks, () => sealer.seal(state, request));
  if (ended.status === "rejected") throw ended.reason;
  return ended.value;
}

const asksForInput = (result: unknown): boolean => own(result, "resultType") === "input_required";

/** Merges the handler's own input requests, for example elicitations. */
async function inputRequired(
  ended: PromiseSettledResult<unknown>,
  asks: Record<number, SamplingParams>,
  sealed: () => Promise<string>,
): Promise<InputRequired> {
  const result = ended.status === "fulfilled" && asksForInput(ended.value) ? ended.value : {};
  return {
    resultType: "input_required",
    inputRequests: {
      ...(own(result, "inputRequests") as object | undefined),
      ...Object.fromEntries(
        Object.entries(asks).map(([position, params]) => [
          nameAt(position),
          { method: samplingMethod, params },
        ]),
      ),
    },
    requestState: await sealed(),
  };
}
