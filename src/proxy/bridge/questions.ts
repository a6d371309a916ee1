/**
 * Questions to a client, whose answers can arrive in any isolate, and to the process that keeps a parked call. Contents and
 * answers are sealed until they are taken.
 */
import type { Vault } from "../../domain/ports/stores.ts";
import type {
  AnsweredQuestion,
  AskedQuestions,
  QuestionStore,
  ReceivedQuestion,
} from "../../domain/ports/questions.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { err, ok } from "../../domain/result.ts";
import type { Caller } from "../../pipeline/callers/authenticate.ts";

/** Sessions are shared by all callers of a key, so the question also names the person. */
export const askedOf = ({ snapshot, grantId, user }: Caller): string =>
  JSON.stringify([snapshot.key.id, grantId ?? null, user?.id ?? null]);

interface AskedProcess {
  tenantId: string;
  /** epoch of the process */
  owner: string;
  id: string;
}

const contentOf = (id: string): string => `${id} content`;

export function createQuestions(deps: {
  questions: QuestionStore;
  vault: Vault;
  now: () => number;
}) {
  const { questions, vault, now } = deps;
  const sealedFor = ({ tenantId, sessionId }: Omit<AskedQuestions, "ids">, id: string) =>
    ({ purpose: "round", tenantId, provider: sessionId, id, destination: "" }) as const;
  return {
    ask: questions.ask,
    withdraw: questions.withdraw,

    async askProcess(
      { tenantId, owner, id }: AskedProcess,
      { call, content, deadline }: { call: string; content: string; deadline: number },
    ): AsyncResult<null> {
      const round = { tenantId, sessionId: owner };
      const sealed = await vault.seal(content, sealedFor(round, contentOf(id)));
      const about = { askedOf: call, deadline, content: sealed };
      return questions.ask({ ...round, ids: [id] }, about);
    },

    /** Questions of other processes; each content is returned once. */
    async receive(
      tenantIds: readonly string[],
      owner: string,
    ): AsyncResult<(ReceivedQuestion & { content: string | null })[]> {
      const received = await questions.receive({ tenantIds, sessionId: owner });
      if (!received.ok) return received;
      const opened = received.value.map(async (question) => {
        const { tenantId, id, content } = question;
        if (content === null) return question;
        const round = { tenantId, sessionId: owner };
        const text = await vault.open(content, sealedFor(round, contentOf(id)));
        return { ...question, content: text.ok ? text.value : null };
      });
      return ok(await Promise.all(opened));
    },

    /** Takes the answer; null: none yet. */
    async answerOf({ tenantId, owner, id }: AskedProcess): AsyncResult<string | null> {
      const round = { tenantId, sessionId: owner };
      const taken = await questions.take({ ...round, ids: [id] });
      if (!taken.ok) return taken;
      const sealed = taken.value.answers.get(id);
      if (sealed === undefined) return ok(null);
      const text = await vault.open(sealed, sealedFor(round, id));
      return text.ok ? ok(text.value) : err({ reason: "internal" });
    },

    async answer(answered: AnsweredQuestion, text: string): AsyncResult<boolean> {
      const sealed = await vault.seal(text, sealedFor(answered, answered.id));
      return questions.answer(answered, sealed, now());
    },

    /** JSON texts by id. An answer that can't be opened is an error. */
    async take(
      asked: AskedQuestions,
    ): AsyncResult<{ answers: [string, string][]; isOpen: boolean }> {
      const taken = await questions.take(asked);
      if (!taken.ok) return taken;
      const answers = await Promise.all(
        [...taken.value.answers].map(async ([id, sealed]): Promise<[string, string]> => {
          const opened = await vault.open(sealed, sealedFor(asked, id));
          return [id, opened.ok ? opened.value : '{"error":{}}'];
        }),
      );
      return ok({ answers, isOpen: taken.value.isOpen });
    },
  };
}

export type Questions = ReturnType<typeof createQuestions>;
