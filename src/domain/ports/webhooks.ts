/** The port of messages to webhooks: what is still to be sent, what became of it, and the secrets that sign it. */
import type { AdminEvent } from "../admin-event.ts";
import type { AsyncResult } from "../refusals.ts";
import type { Page, PageRequest } from "./pages.ts";

export const webhookStates = ["pending", "delivered", "failed"] as const;
export type WebhookState = (typeof webhookStates)[number];

export interface WebhookMessage {
  /** stays the same for every attempt, so that a receiver knows a repetition */
  id: string;
  tenantId: string;
  url: string;
  /** JSON */
  body: string;
  state: WebhookState;
  /** so many times it was sent, or was about to be */
  attempts: number;
  createdAt: number;
  /** when it is sent next; null: never again */
  nextAt: number | null;
  /** when it was delivered, or given up; null: neither */
  endedAt: number | null;
  /** the HTTP status of the last answer; null: there was none */
  status: number | null;
  /** what went wrong at the last attempt */
  fault: string | null;
}

/** A message that this process sends now. */
export type ClaimedMessage = Pick<
  WebhookMessage,
  "id" | "tenantId" | "url" | "body" | "attempts" | "createdAt"
>;

export interface WebhookSecret {
  id: string;
  tenantId: string;
  sealed: string;
  createdAt: number;
}

/** What became of an attempt. */
export interface Attempted extends Pick<ClaimedMessage, "id" | "tenantId" | "attempts"> {
  state: WebhookState;
  nextAt: number | null;
  status: number | null;
  fault: string | null;
  now: number;
}

export type DueMessage = Pick<WebhookMessage, "tenantId" | "id" | "url">;

export interface WebhookStore {
  /** Messages that are due, the oldest two of each tenant and URL. */
  due(now: number): AsyncResult<DueMessage[]>;
  /** Those of the messages that are still due. Nobody else gets them until `until`. */
  claim(
    messages: readonly Pick<DueMessage, "tenantId" | "id">[],
    about: { now: number; until: number },
  ): AsyncResult<ClaimedMessage[]>;
  /** Notes what became of an attempt; nothing where somebody else has claimed the message since. */
  note(attempted: Attempted, event: AdminEvent | null): AsyncResult<null>;
  /** Newest first. */
  list(tenantId: string, page: PageRequest): AsyncResult<Page<WebhookMessage>>;
  /** The secrets that sign now, the newest first. */
  secrets(tenantId: string, now: number): AsyncResult<WebhookSecret[]>;
  /** The new secret signs, and the one before it too, until `oldUntil`. */
  /** @returns whether there is a secret before this one, which signs until `oldUntil` */
  rotate(secret: WebhookSecret, oldUntil: number, event: AdminEvent): AsyncResult<boolean>;
  prune(now: number): AsyncResult<number>;
}
