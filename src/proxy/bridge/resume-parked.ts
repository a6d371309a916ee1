/** The client's answer to a parked call. The process that keeps the call decides about it, and others ask it. */
import { parsedJson } from "../../domain/json.ts";
import { serverFailed, type Refusal } from "../../domain/refusals.ts";
import type { CarriedState } from "../../domain/sampling/rounds.ts";
import { faultOfAnswer } from "../../domain/servers/asking.ts";
import { roundWire } from "../../mcp/rev2026/round.ts";
import type { Exchange } from "../exchange.ts";
import { stateRefused } from "../modern/round-state.ts";
import { maxAnswerBytes } from "./ask-client.ts";
import type { ParkedCalls, ParkedOutcome } from "./parked-calls.ts";
import type { BridgeServices } from "./services.ts";

/** The router's key of a server's question. */
export const questionKey = "sampling-router/question";

/** ms between reads of another process's answer */
const pollMs = 1_000;
/** ms for which another process can answer, as long as the client waits for it */
const askedMs = 3_600_000;

export const mayHaveRun = (detail: string, status?: number): Refusal =>
  ({
    ...serverFailed(`${detail} The request may have taken effect, and isn't repeated.`, status),
    retryable: false,
  }) as Refusal;
export const lost = mayHaveRun("The router lost the connection that waited for this answer.");
const refused = (refusal: Refusal): ParkedOutcome => ({ kind: "refused", refusal });

export interface GivenAnswer {
  tenantId: string;
  id: string;
  round: number;
  /** JSON text; null: the client wants the question again */
  text: string | null;
}

/** A repeated answer joins the first. @returns null: the client has left */
export async function answerHere(
  services: Pick<BridgeServices, "sha256Hex">,
  calls: ParkedCalls,
  { tenantId, id, round, text, gone }: GivenAnswer & { gone: AbortSignal },
): Promise<ParkedOutcome | null> {
  const call = calls.find(id, tenantId);
  if (call === null) return refused(lost);
  if (text === null) return call.outcomeOf(round - 1, gone);
  const digest = await services.sha256Hex(text);
  return call.answer(round, { digest, text }) ? call.outcomeOf(round, gone) : refused(stateRefused);
}

type AskingServices = Pick<BridgeServices, "ids" | "now" | "questions" | "sessions" | "wait">;

/** The outcome is written before the session ends, so it is looked for afterwards. */
async function outcomeFrom(
  services: AskingServices,
  { tenantId, id: session }: GivenAnswer,
  { asked, gone }: { asked: { tenantId: string; owner: string; id: string }; gone: AbortSignal },
): Promise<ParkedOutcome | null> {
  for (;;) {
    await services.wait(pollMs, gone);
    if (gone.aborted) return null;
    const isParked = await services.sessions.isParked({ tenantId, id: session });
    const outcome = isParked.ok ? await services.questions.answerOf(asked) : isParked;
    // The next read may reach the store.
    if (!isParked.ok || !outcome.ok) continue;
    if (outcome.value !== null) return JSON.parse(outcome.value) as ParkedOutcome;
    if (!isParked.value) return refused(lost);
  }
}

async function askOwner(
  services: AskingServices,
  owner: string,
  { gone, ...given }: GivenAnswer & { gone: AbortSignal },
): Promise<ParkedOutcome | null> {
  const isParked = await services.sessions.isParked(given);
  if (!isParked.ok) return refused(isParked.error);
  if (!isParked.value) return refused(lost);
  const { tenantId } = given;
  const asked = { tenantId, owner, id: services.ids.next("question") };
  const sent = await services.questions.askProcess(asked, {
    call: given.id,
    content: JSON.stringify(given),
    deadline: services.now() + askedMs,
  });
  if (!sent.ok) return refused(sent.error);
  try {
    return await outcomeFrom(services, given, { asked, gone });
  } finally {
    await services.questions.withdraw({ tenantId, sessionId: owner, ids: [asked.id] });
  }
}

export async function resumeParked(
  services: BridgeServices,
  { caller, text: request }: Pick<Exchange, "caller" | "text">,
  context: {
    calls: ParkedCalls;
    state: NonNullable<CarriedState["parked"]>;
    gone: AbortSignal;
  },
): Promise<{ outcome: ParkedOutcome | null; round: number }> {
  const { calls, gone } = context;
  const { id, epoch, round } = context.state;
  const text = roundWire.responsesOf(request).get(questionKey) ?? null;
  const fault = text === null ? null : faultIn(text);
  if (fault !== null) return { outcome: refused(fault), round };
  const given = { tenantId: caller.snapshot.tenant.id, id, round, text, gone };
  const isOwn = epoch === calls.epoch || calls.processes === "one";
  const outcome = await (isOwn
    ? answerHere(services, calls, given)
    : askOwner(services, epoch, given));
  return { outcome, round: text === null ? round - 1 : round };
}

function faultIn(text: string): Refusal | null {
  if (new TextEncoder().encode(text).byteLength > maxAnswerBytes)
    return { reason: "payload_too_large", limitBytes: maxAnswerBytes };
  return faultOfAnswer({ result: parsedJson(text) ?? null });
}
