import type { AsyncResult } from "../refusals.ts";

export interface AskedQuestions {
  tenantId: string;
  sessionId: string;
  ids: readonly string[];
}

/** An answer counts for one question, from the caller who was asked. */
export interface AnsweredQuestion {
  tenantId: string;
  sessionId: string;
  id: string;
  askedOf: string;
}

export interface TakenAnswers {
  /** sealed, by id */
  answers: ReadonlyMap<string, string>;
  isOpen: boolean;
}

/** Questions to a client, whose answers may arrive in another isolate. */
export interface QuestionStore {
  ask(asked: AskedQuestions, about: { askedOf: string; deadline: number }): AsyncResult<null>;
  /** Keeps the first answer. False: this caller was not asked, the deadline has passed, or there is an answer. */
  answer(answered: AnsweredQuestion, sealed: string, now: number): AsyncResult<boolean>;
  take(asked: AskedQuestions): AsyncResult<TakenAnswers>;
  withdraw(asked: AskedQuestions): AsyncResult<null>;
  prune(now: number): AsyncResult<number>;
}
