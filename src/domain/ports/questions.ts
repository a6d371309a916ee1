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

/** A question to the process that keeps a parked call. */
export interface ReceivedQuestion {
  tenantId: string;
  id: string;
  /** the call */
  askedOf: string;
  /** sealed; null: received before */
  content: string | null;
}

/** Questions to a client, whose answers may arrive in another isolate, and to the process that keeps a parked call */
export interface QuestionStore {
  /** @param about `content` of a question to another process, sealed */
  ask(
    asked: AskedQuestions,
    about: { askedOf: string; deadline: number; content?: string },
  ): AsyncResult<null>;
  /** Unanswered questions to a process, which gets each content once. @param of `sessionId` is the process's epoch */
  receive(of: { tenantIds: readonly string[]; sessionId: string }): AsyncResult<ReceivedQuestion[]>;
  /** Keeps the first answer. False: this caller was not asked, the deadline has passed, or there is an answer. */
  answer(answered: AnsweredQuestion, sealed: string, now: number): AsyncResult<boolean>;
  take(asked: AskedQuestions): AsyncResult<TakenAnswers>;
  withdraw(asked: AskedQuestions): AsyncResult<null>;
  prune(now: number): AsyncResult<number>;
}
