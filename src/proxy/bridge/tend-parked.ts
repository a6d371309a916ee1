/** While a process has parked calls, it renews their leases, and answers the questions of other processes. */
import type { ReceivedQuestion } from "../../domain/ports/questions.ts";
import { renewalMs } from "../../domain/tenancy/parked.ts";
import type { ParkedCalls } from "./parked-calls.ts";
import { answerHere, type GivenAnswer } from "./resume-parked.ts";
import type { BridgeServices } from "./services.ts";

/** ms between reads of what other processes ask */
const pollMs = 1_000;

type TendingServices = Pick<
  BridgeServices,
  "now" | "questions" | "report" | "sessions" | "sha256Hex" | "wait"
>;

async function answerProcess(
  services: TendingServices,
  calls: ParkedCalls,
  {
    tenantId,
    id,
    askedOf,
    content,
    gone,
  }: ReceivedQuestion & { content: string; gone: AbortSignal },
): Promise<void> {
  const given = JSON.parse(content) as GivenAnswer;
  const outcome = await answerHere(services, calls, { ...given, tenantId, id: askedOf, gone });
  if (outcome === null) return;
  const question = { tenantId, sessionId: calls.epoch, id, askedOf };
  const written = await services.questions.answer(question, JSON.stringify(outcome));
  if (written.ok) return;
  const refused = { kind: "refused", refusal: written.error };
  await services.questions.answer(question, JSON.stringify(refused));
}

/** @returns a function that starts to answer new questions of other processes, and stops when one was withdrawn */
function createReception(services: TendingServices, calls: ParkedCalls) {
  const waiting = new Map<string, AbortController>();
  return async (tenantIds: readonly string[]): Promise<void> => {
    const asked = await services.questions.receive(tenantIds, calls.epoch);
    if (!asked.ok) return;
    const open = new Set(asked.value.map(({ id }) => id));
    for (const [id, waits] of waiting) if (!open.has(id) && waiting.delete(id)) waits.abort();
    for (const { content, ...question } of asked.value) {
      if (content === null) continue;
      const left = new AbortController();
      waiting.set(question.id, left);
      const answering = answerProcess(services, calls, {
        ...question,
        content,
        gone: left.signal,
      }).catch((thrown: unknown) => services.report(question.id, thrown));
      calls.find(question.askedOf, question.tenantId)?.endsAfter(answering);
    }
  };
}

/** @param context `until`: the last call has ended, or the process shuts down */
export async function tendParked(
  services: TendingServices,
  { calls, until }: { calls: ParkedCalls; until: AbortSignal },
): Promise<void> {
  const receive = createReception(services, calls);
  let renewedAt = services.now();
  while (!until.aborted) {
    await services.wait(calls.processes === "one" ? renewalMs : pollMs, until);
    const byTenant = calls.byTenant();
    if (services.now() - renewedAt >= renewalMs) {
      renewedAt = services.now();
      for (const [tenantId, ids] of byTenant) await services.sessions.stayParked(tenantId, ids);
    }
    if (calls.processes === "several" && byTenant.size > 0) await receive([...byTenant.keys()]);
  }
}
