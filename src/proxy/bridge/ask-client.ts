/**
 * On the stream of the client's request, as the official SDK's server asks legacy clients. The answers are
 * POSTs of their own.
 */
import { askedLimits, faultOfAnswer, type AskedQuestion } from "../../domain/servers/asking.ts";
import { parsedJson } from "../../domain/json.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import type { Session } from "../../domain/tenancy/session.ts";
import { textAt } from "../../mcp/json-text/parts.ts";
import { withMember } from "../../mcp/json-text/raw-json.ts";
import { sseMessage, sseMessageText } from "../../mcp/sse/write.ts";
import type { ClientReply } from "../client-reply.ts";
import type { Exchange } from "../exchange.ts";
import { askedOf } from "./questions.ts";
import type { BridgeServices } from "./services.ts";

/** ms between polls; the first ones are for clients that answer without a user */
const [firstPollMs, pollMs] = [100, 1_000];
const firstPolls = 20;
/** Bytes of an answer, which is stored until it is taken. */
export const maxAnswerBytes = 256 * 1024;

interface Asking {
  session: Session;
  reply: ClientReply;
  text: string;
  questions: readonly AskedQuestion[];
  /** called while the client is waited for; null: it wants no progress */
  progress: (() => void) | null;
  left: AbortSignal;
}

type AskingServices = Pick<BridgeServices, "ids" | "now" | "questions" | "wait">;

interface Sent extends AskedQuestion {
  id: string;
}

function requestText(text: string, { key, mode, id }: Sent): string {
  const params = textAt(text, ["result", "inputRequests", key, "params"]) ?? "{}";
  const request = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"elicitation/create","params":${params}}`;
  // Required by 2025-11-25, and unknown to the server's revision.
  return mode === "url"
    ? withMember(request, ["params", "elicitationId"], JSON.stringify(id))
    : request;
}

const late: Refusal = {
  reason: "input_missing",
  detail: `The client didn't answer within ${askedLimits.patienceMs / 60_000} minutes.`,
};

async function untilAnswered(
  services: AskingServices,
  sent: readonly Sent[],
  {
    session,
    progress,
    left,
    deadline,
    open,
  }: Pick<Asking, "session" | "progress" | "left"> & {
    deadline: number;
    open: Set<string>;
  },
): Promise<Result<[string, string][], Refusal>> {
  const { tenantId, id: sessionId } = session;
  const answers = new Map<string, string>();
  for (let polls = 0; open.size > 0; polls += 1) {
    if (services.now() >= deadline) return err(late);
    await services.wait(polls < firstPolls ? firstPollMs : pollMs, left);
    if (left.aborted) return err({ reason: "cancelled" });
    progress?.();
    const taken = await services.questions.take({ tenantId, sessionId, ids: [...open] });
    // The next poll may reach the store.
    if (!taken.ok) continue;
    if (!taken.value.isOpen) return err({ reason: "session_not_found" });
    for (const [id, text] of taken.value.answers) {
      open.delete(id);
      const fault = faultOfAnswer(parsedJson(text));
      if (fault !== null) return err(fault);
      answers.set(id, textAt(text, ["result"]) ?? "null");
    }
  }
  return ok(sent.map(({ key, id }) => [key, answers.get(id) ?? "null"]));
}

export async function askClient(
  services: AskingServices,
  { caller }: Pick<Exchange, "caller">,
  asking: Asking,
): Promise<Result<[string, string][], Refusal>> {
  const { session, reply, text, questions } = asking;
  const { tenantId, id: sessionId } = session;
  const sent = questions.map((question) => ({ ...question, id: services.ids.next("question") }));
  const open = new Set(sent.map(({ id }) => id));
  const deadline = services.now() + askedLimits.patienceMs;
  // Stored first, because the answer may follow immediately.
  const stored = await services.questions.ask(
    { tenantId, sessionId, ids: [...open] },
    { askedOf: askedOf(caller), deadline },
  );
  if (!stored.ok) return stored;
  reply.begin({});
  for (const question of sent) await reply.write(sseMessageText(requestText(text, question)));
  try {
    return await untilAnswered(services, sent, { ...asking, deadline, open });
  } finally {
    // The client then stops asking its user.
    for (const requestId of open)
      void reply.write(
        sseMessage({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } }),
      );
    if (open.size > 0) await services.questions.withdraw({ tenantId, sessionId, ids: [...open] });
  }
}

/** Keeps a client's answer for the isolate that asked. An answer to nothing is dropped, as in a direct session. */
export async function keepAnswer(
  services: Pick<BridgeServices, "questions">,
  exchange: Exchange,
  session: Session,
): Promise<Refusal | null> {
  const { body, text, bytes, caller } = exchange;
  const [message] = body === null || body.batch ? [] : body.messages;
  if (message?.kind !== "response" || typeof message.id !== "string") return null;
  if (bytes.byteLength > maxAnswerBytes)
    return { reason: "payload_too_large", limitBytes: maxAnswerBytes };
  const { tenantId, id: sessionId } = session;
  const question = { tenantId, sessionId, id: message.id, askedOf: askedOf(caller) };
  const kept = await services.questions.answer(question, text);
  return kept.ok ? null : kept.error;
}
