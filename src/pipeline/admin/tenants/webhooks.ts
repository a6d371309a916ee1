import type { Page, PageRequest, Vault } from "../../../domain/ports/stores.ts";
import type { WebhookMessage, WebhookStore } from "../../../domain/ports/webhooks.ts";
import type { AsyncResult } from "../../../domain/refusals.ts";
import { ok } from "../../../domain/result.ts";
import type { Actor } from "../../../domain/tenancy/access.ts";
import { webhookSecretOf } from "../../../domain/tenancy/sealing.ts";
import type { JsonObject } from "../../../domain/json.ts";
import { webhookUrlFor } from "../access/shown-urls.ts";
import { eventOf, tenantFor, type AdminDeps } from "../access/access.ts";

/** ms for which the previous secret also signs, so that receivers can switch. */
const bothSignMs = 24 * 3_600_000;

export type ListedWebhook = Omit<WebhookMessage, "tenantId" | "body"> & { body: JsonObject };

export interface NewWebhookSecret {
  secret: string;
  previousUntil: number | null;
}

const listed = ({ tenantId: _, body, ...message }: WebhookMessage): ListedWebhook => ({
  ...message,
  body: JSON.parse(body) as JsonObject,
});

export const createWebhookAdmin = (
  deps: AdminDeps & { webhooks: WebhookStore; vault: Vault; newWebhookSecret: () => string },
) => ({
  async list(actor: Actor, slug: string, page: PageRequest): AsyncResult<Page<ListedWebhook>> {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok) return tenant;
    const found = await deps.webhooks.list(tenant.value.id, page);
    if (!found.ok) return found;
    const data = found.value.data.map((message) => ({
      ...listed(message),
      url: webhookUrlFor(actor, message.url),
    }));
    return ok({ ...found.value, data });
  },

  async rotateSecret(actor: Actor, slug: string): AsyncResult<NewWebhookSecret> {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok) return tenant;
    const { id: tenantId } = tenant.value;
    const id = deps.ids.next("webhook");
    const secret = deps.newWebhookSecret();
    const createdAt = deps.now();
    const previousUntil = createdAt + bothSignMs;
    const sealed = await deps.vault.seal(secret, webhookSecretOf({ tenantId, id }));
    const rotated = await deps.webhooks.rotate(
      { id, tenantId, sealed, createdAt },
      previousUntil,
      eventOf(deps, actor, { action: "webhook.secret", tenantId, target: id }),
    );
    return rotated.ok
      ? ok({ secret, previousUntil: rotated.value ? previousUntil : null })
      : rotated;
  },
});
