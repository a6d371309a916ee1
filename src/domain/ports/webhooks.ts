import type { AdminEvent } from "../admin-event.ts";
import type { AsyncResult } from "../refusals.ts";
import type { Page, PageRequest } from "./pages.ts";

export const webhookStates = ["pending", "delivered", "failed"] as const;
export type WebhookState = (typeof webhookStates)[number];

/** ms for which delivered and dropped messages are listed */
export const keptMessagesMs = 7 * 86_400_000;

export interface WebhookMessage {
  /** the same for all attempts, so that receivers can detect repetitions */
  id: string;
  tenantId: string;
  url: string;
  body: string;
  state: WebhookState;
  attempts: number;
  createdAt: number;
  nextAt: number | null;
  endedAt: number | null;
  status: number | null;
  fault: string | null;
}

export type ClaimedMessage = Pick<
  WebhookMessage,
  "id" | "tenantId" | "url" | "body" | "attempts" | "createdAt"
>;

export interface WebhookSecret {
  id: string;
  tenantId: string;
  /** origin that receives the header; `null`: a secret that signs */
  destination: string | null;
  sealed: string;
  createdAt: number;
}

export interface Attempted extends Pick<ClaimedMessage, "id" | "tenantId" | "attempts"> {
  state: WebhookState;
  nextAt: number | null;
  status: number | null;
  fault: string | null;
  now: number;
}

export type DueMessage = Pick<WebhookMessage, "tenantId" | "id" | "url">;

export interface WebhookStore {
  /** The two oldest due messages per tenant and URL. */
  due(now: number): AsyncResult<DueMessage[]>;
  /** Leases due messages until `until`. */
  claim(
    messages: readonly Pick<DueMessage, "tenantId" | "id">[],
    about: { now: number; until: number },
  ): AsyncResult<ClaimedMessage[]>;
  /** Does nothing if the lease was lost. */
  note(attempted: Attempted, event: AdminEvent | null): AsyncResult<null>;
  list(tenantId: string, page: PageRequest): AsyncResult<Page<WebhookMessage>>;
  secrets(tenantId: string, now: number): AsyncResult<WebhookSecret[]>;
  /** The previous secret signs too, until `oldUntil`. @returns whether there is a previous secret */
  rotate(secret: WebhookSecret, oldUntil: number, event: AdminEvent): AsyncResult<boolean>;
  /** The tenant's header for an origin; `null` removes it. */
  replaceHeader(
    whose: { tenantId: string; destination: string },
    header: WebhookSecret | null,
    event: AdminEvent,
  ): AsyncResult<null>;
  prune(now: number): AsyncResult<number>;
}
