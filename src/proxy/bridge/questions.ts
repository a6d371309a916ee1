/** Questions to a client that a session connects to several isolates: the answer arrives in any of them, sealed until it is taken. */
import type { Vault } from "../../domain/ports/stores.ts";
import type {
  AnsweredQuestion,
  AskedQuestions,
  QuestionStore,
} from "../../domain/ports/questions.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import type { Caller } from "../../pipeline/callers/authenticate.ts";

/** Sessions are shared by all callers of a key, so the question also names the person. */
export const askedOf = ({ snapshot, grantId, user }: Caller): string =>
  JSON.stringify([snapshot.key.id, grantId ?? null, user?.id ?? null]);

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
