/** Sends webhook messages: immediately from requests, and due ones from jobs. */
import { newWebhookSecret, signWebhook } from "../../crypto/webhook-signatures.ts";
import type { Stores, Vault } from "../../domain/ports/stores.ts";
import type { Ids } from "../../domain/tenancy/ids.ts";
import {
  createSendMessage,
  createSendWebhooks,
  createWebhookJob,
  type SendMessage,
  type SendWebhooks,
} from "../../pipeline/scheduled/webhooks.ts";
import { createWebhookSender } from "../../telemetry/webhook-sender.ts";
import type { Lifetime } from "../lifetime.ts";
import { clock, randomBytesOf, type Isolate } from "../isolate.ts";

export interface DatabaseWebhooks {
  /** one run */
  sendWebhooksOnce: SendWebhooks;
  /** Doesn't block. */
  sendWebhooks: () => void;
  sendOnce: SendMessage;
  newWebhookSecret: () => string;
}

export function createDatabaseWebhooks(deps: {
  isolate: Pick<Isolate, "config" | "host" | "webhookSlots">;
  stores: Pick<Stores, "webhooks">;
  vault: Vault;
  ids: Ids;
  lifetime: Pick<Lifetime, "origin" | "upkeep">;
}): DatabaseWebhooks {
  const { isolate, lifetime, stores, vault, ids } = deps;
  const { config, host } = isolate;
  const ownOrigins = config.publicOrigins.concat(lifetime.origin ?? []);
  const sending = {
    webhooks: stores.webhooks,
    vault,
    sign: signWebhook,
    post: createWebhookSender({ fetch: (url, init) => host.fetch(url, init) }),
    slots: isolate.webhookSlots,
    rules: { allowPrivate: config.allowPrivateUpstreams, ownOrigins },
    ids,
    ...clock,
  };
  const send = createSendWebhooks(sending);
  return {
    sendWebhooksOnce: createWebhookJob({ send, background: lifetime.upkeep, wait: clock.wait }),
    // The next run of the jobs sends what is left.
    sendWebhooks: () => lifetime.upkeep(send()),
    sendOnce: createSendMessage(sending),
    newWebhookSecret: () => newWebhookSecret(randomBytesOf),
  };
}
