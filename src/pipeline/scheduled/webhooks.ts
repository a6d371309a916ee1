/** Standard Webhooks, at least once: an unmarked message is sent again under the same `webhook-id`. */
import type { AsyncResult, Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import { problemWithEndpoint, type UpstreamRules } from "../../domain/servers/upstreams.ts";
import { webhookSecretOf } from "../../domain/tenancy/sealing.ts";
import type { DeliverySlots } from "../../domain/limits/delivery-slots.ts";
import type { ClaimedMessage, WebhookSecret, WebhookStore } from "../../domain/ports/webhooks.ts";
import type { Vault } from "../../domain/ports/stores.ts";
import type { Ids } from "../../domain/tenancy/ids.ts";

/** ms between checks for a free slot */
const lookMs = 1_000;
/** ms that the job waits for messages in flight */
const jobWaitMs = 5_000;
/** ms: longer than an attempt takes */
const claimedMs = 60_000;
/** ms to the next attempt. After the last one the message is given up. */
const pausesMs = [5_000, 60_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 36_000_000];
/** Standard Webhooks, "Delivery success". */
const gone = 410;

interface Sent {
  status: number | null;
  fault: string | null;
  /** the first characters of the answer, if asked for */
  answer?: string;
  isLate?: true;
}

/** Follows no redirect: only the tenant's URL may get the message. */
export type PostWebhook = (message: {
  url: string;
  body: string;
  headers: Record<string, string>;
  reads?: "answer";
}) => Promise<Sent>;

export interface WebhookDeps {
  webhooks: WebhookStore;
  vault: Vault;
  sign: (secret: string, text: string) => Promise<string>;
  post: PostWebhook;
  rules: UpstreamRules;
  slots: DeliverySlots;
  ids: Ids;
  now: () => number;
  wait: (ms: number) => Promise<void>;
}

export type SendWebhooks = () => AsyncResult<number>;

const addressOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url);

/** Standard Webhooks, in contrast to what chat services and other APIs expect. */
const needsSignature = (body: string): boolean => /^\{"type":"(?:alert|approval)\./.test(body);

type Message = Pick<ClaimedMessage, "id" | "tenantId" | "url" | "body"> & {
  /** replaces the stored one */
  header?: WebhookHeader | undefined;
  reads?: "answer";
};

/** For example `Authorization` of an email API. */
export interface WebhookHeader {
  name: string;
  value: string;
}

const opened = (vault: Vault, secret: WebhookSecret): ReturnType<Vault["open"]> =>
  vault.open(secret.sealed, webhookSecretOf(secret));

async function storedHeader(
  vault: Vault,
  url: string,
  secrets: readonly WebhookSecret[],
): Promise<Result<WebhookHeader | undefined, "unopenable">> {
  const stored = secrets.find(({ destination }) => destination === addressOf(url));
  if (stored === undefined) return ok(undefined);
  const plain = await opened(vault, stored);
  return plain.ok ? ok(JSON.parse(plain.value) as WebhookHeader) : plain;
}

const unsent = (fault: string): Result<Sent, never> => ok({ status: null, fault });

export type SendMessage = (message: Message) => AsyncResult<Sent>;

/** Signs with every current secret, so that receivers can switch. */
export const createSendMessage =
  (
    deps: Pick<WebhookDeps, "vault" | "sign" | "post" | "rules" | "now"> & {
      webhooks: Pick<WebhookStore, "secrets">;
    },
  ): SendMessage =>
  async ({ id, tenantId, url, body, header: given, reads }) => {
    const { webhooks, vault, sign, post, rules, now } = deps;
    // Rules may be stricter than when the policy was written.
    const problem = problemWithEndpoint(url, rules);
    if (problem !== null) return unsent(problem);
    const seconds = Math.floor(now() / 1_000);
    const found = await webhooks.secrets(tenantId, now());
    if (!found.ok) return found;
    const stored = given ? ok(given) : await storedHeader(vault, url, found.value);
    if (!stored.ok)
      return unsent("The stored header can't be opened. Set it again: PUT …/webhooks/headers.");
    const header = stored.value;
    const signing = found.value.filter(({ destination }) => destination === null);
    const signatures = await Promise.all(
      signing.map(async (secret): Promise<string[]> => {
        const plain = await opened(vault, secret);
        return plain.ok ? [await sign(plain.value, `${id}.${seconds}.${body}`)] : [];
      }),
    );
    if (signatures.flat().length === 0 && header === undefined && needsSignature(body))
      return unsent(
        "There is no signing secret. Create one with New signing secret in the console, or POST …/webhooks/secret.",
      );
    return ok(
      await post({
        url,
        body,
        ...(reads !== undefined && { reads }),
        headers: {
          ...(header !== undefined && { [header.name]: header.value }),
          "webhook-id": id,
          "webhook-timestamp": String(seconds),
          ...(signatures.flat().length > 0 && { "webhook-signature": signatures.flat().join(" ") }),
        },
      }),
    );
  };

export function createSendWebhooks(deps: WebhookDeps): SendWebhooks {
  const { webhooks, slots, ids, now, wait } = deps;
  const send = createSendMessage(deps);

  const deliver = async (message: ClaimedMessage): AsyncResult<null> => {
    const { id, tenantId, attempts } = message;
    const place = { id, tenantId, address: addressOf(message.url) };
    const sent = await send(message);
    const isLate = sent.ok && sent.value.isLate === true;
    const hasAnswered = sent.ok && sent.value.status !== null;
    slots.end(place, isLate || hasAnswered ? !isLate : null, now());
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

  const begin = async (): AsyncResult<{ begun: AsyncResult<null>[]; isLeft: boolean }> => {
    const due = await webhooks.due(now());
    if (!due.ok) return due;
    const wanted = due.value.map(({ url, ...named }) => ({ ...named, address: addressOf(url) }));
    const at = now();
    const taken = slots.take(wanted, at);
    const isLeft = taken.length < wanted.length;
    if (taken.length === 0) return ok({ begun: [], isLeft });
    const claimed = await webhooks.claim(taken, { now: at, until: at + claimedMs });
    const mine = new Set(claimed.ok ? claimed.value.map(({ id }) => id) : []);
    for (const each of taken) if (!mine.has(each.id)) slots.end(each, null, now());
    if (!claimed.ok) return claimed;
    return ok({ begun: claimed.value.map(deliver), isLeft });
  };

  let woken = Promise.withResolvers<void>();
  const work = async (): AsyncResult<number> => {
    const running = new Set<AsyncResult<null>>();
    let sent = 0;
    let refusal: Refusal | null = null;
    for (;;) {
      woken = Promise.withResolvers<void>();
      const begun = await begin();
      if (!begun.ok) return begun;
      for (const each of begun.value.begun) {
        sent += 1;
        running.add(each);
        void each.then((noted) => {
          if (!noted.ok) refusal = noted.error;
          running.delete(each);
          return woken.resolve();
        });
      }
      if (running.size === 0 && !begun.value.isLeft) break;
      await Promise.race([woken.promise, wait(lookMs)]);
    }
    return refusal === null ? ok(sent) : err(refusal);
  };

  let working: AsyncResult<number> | null = null;
  return () => {
    woken.resolve();
    working ??= work().finally(() => (working = null));
    return working;
  };
}

/** Messages to unresponsive receivers continue while other jobs run. */
export const createWebhookJob =
  (deps: {
    send: SendWebhooks;
    wait: (ms: number) => Promise<void>;
    background: (work: Promise<unknown>) => void;
  }): SendWebhooks =>
  async () => {
    const sending = deps.send();
    deps.background(sending);
    return Promise.race([sending, deps.wait(jobWaitMs).then(() => ok(0))]);
  };
