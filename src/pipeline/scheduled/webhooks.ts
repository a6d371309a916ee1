/**
 * Sends messages to webhooks, signed as Standard Webhooks, at least once each: what was sent and could not be noted is
 * sent again, under the same `webhook-id`.
 */
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import { problemWithEndpoint, type UpstreamRules } from "../../domain/servers/upstreams.ts";
import { webhookSecretOf } from "../../domain/tenancy/sealing.ts";
import type { ClaimedMessage, WebhookStore } from "../../domain/ports/webhooks.ts";
import type { Vault } from "../../domain/ports/stores.ts";
import type { Ids } from "../../domain/tenancy/ids.ts";

/** An object has six connections at once. */
const atOnce = 6;
/** ms for which nobody else sends a claimed message: longer than an attempt takes. */
const claimedMs = 60_000;
/** ms to the next attempt, after the first, the second… After the last one the message is given up. */
const pausesMs = [5_000, 60_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 36_000_000];
/** The receiver says that it is gone for good. Source: Standard Webhooks, "Delivery success". */
const gone = 410;

/** What came of one attempt; `fault` null: the receiver has the message. */
interface Sent {
  /** HTTP status; null: there was no answer */
  status: number | null;
  fault: string | null;
}

/** Sends a message once, and follows no redirect: only the URL that the tenant named may get it. */
export type PostWebhook = (message: {
  url: string;
  body: string;
  headers: Record<string, string>;
}) => Promise<Sent>;

export interface WebhookDeps {
  webhooks: WebhookStore;
  vault: Vault;
  sign: (secret: string, text: string) => Promise<string>;
  post: PostWebhook;
  rules: UpstreamRules;
  ids: Ids;
  now: () => number;
}

export type SendWebhooks = () => AsyncResult<number>;

export function createSendWebhooks(deps: WebhookDeps): SendWebhooks {
  const { webhooks, vault, sign, post, rules, ids, now } = deps;

  /** Every secret that signs now makes a signature, so that a receiver can change its own in between. */
  const signaturesOf = async (message: ClaimedMessage, seconds: number): AsyncResult<string[]> => {
    const found = await webhooks.secrets(message.tenantId, now());
    if (!found.ok) return found;
    const text = `${message.id}.${seconds}.${message.body}`;
    const signatures = await Promise.all(
      found.value.map(async (secret): Promise<string[]> => {
        const opened = await vault.open(secret.sealed, webhookSecretOf(secret));
        return opened.ok ? [await sign(opened.value, text)] : [];
      }),
    );
    return ok(signatures.flat());
  };

  const send = async (message: ClaimedMessage): AsyncResult<Sent> => {
    // The rules may have become stricter since the policy was written.
    const problem = problemWithEndpoint(message.url, rules);
    if (problem !== null) return ok({ status: null, fault: problem });
    const seconds = Math.floor(now() / 1_000);
    const signatures = await signaturesOf(message, seconds);
    if (!signatures.ok) return signatures;
    if (signatures.value.length === 0)
      return ok({ status: null, fault: "No secret signs. Make one: POST …/webhooks/secret." });
    return ok(
      await post({
        url: message.url,
        body: message.body,
        headers: {
          "webhook-id": message.id,
          "webhook-timestamp": String(seconds),
          "webhook-signature": signatures.value.join(" "),
        },
      }),
    );
  };

  const deliver = async (message: ClaimedMessage): AsyncResult<null> => {
    const { id, tenantId, attempts } = message;
    const sent = await send(message);
    if (!sent.ok) return sent;
    const { status, fault } = sent.value;
    const at = now();
    const attempted = { id, tenantId, attempts, status, fault, now: at };
    if (fault === null)
      return webhooks.note({ ...attempted, state: "delivered", nextAt: null }, null);
    const pause = status === gone ? undefined : pausesMs[attempts - 1];
    if (pause !== undefined)
      return webhooks.note({ ...attempted, state: "pending", nextAt: at + pause }, null);
    return webhooks.note(
      { ...attempted, state: "failed", nextAt: null },
      {
        id: ids.next("event"),
        at,
        actor: "router",
        action: "webhook.failed",
        tenantId,
        target: id,
        detail: { attempts, status, fault },
      },
    );
  };

  return async () => {
    const at = now();
    const claimed = await webhooks.claim({ now: at, until: at + claimedMs, limit: atOnce });
    if (!claimed.ok) return claimed;
    const noted = await Promise.all(claimed.value.map(deliver));
    return noted.find((each) => !each.ok) ?? ok(claimed.value.length);
  };
}

/** Sends until nothing is due, so that nobody waits for the next run of the jobs. */
export const createSendSoon =
  (deps: { send: SendWebhooks; background: (work: Promise<unknown>) => void }) => (): void => {
    const sendAll = async (): Promise<void> => {
      for (;;) {
        const sent = await deps.send();
        if (!sent.ok || sent.value === 0) return;
      }
    };
    deps.background(sendAll());
  };
