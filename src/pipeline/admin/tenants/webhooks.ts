import type { Page, PageRequest, Vault } from "../../../domain/ports/stores.ts";
import type {
  WebhookMessage,
  WebhookSecret,
  WebhookStore,
} from "../../../domain/ports/webhooks.ts";
import type { AsyncResult } from "../../../domain/refusals.ts";
import { err, ok } from "../../../domain/result.ts";
import type { Actor } from "../../../domain/tenancy/access.ts";
import { webhookSecretOf } from "../../../domain/tenancy/sealing.ts";
import type { JsonObject } from "../../../domain/json.ts";
import { checkedWebhook } from "../access/webhook-url.ts";
import { webhookUrlFor } from "../access/shown-urls.ts";
import { eventOf, tenantFor, type AdminDeps } from "../access/access.ts";

/** ms for which the previous secret also signs, so that receivers can switch. */
const bothSignMs = 24 * 3_600_000;
const maxHeaders = 10;

export type ListedWebhook = Omit<WebhookMessage, "tenantId" | "body"> & { body: JsonObject };

export interface NewWebhookSecret {
  secret: string;
  previousUntil: number | null;
}

export interface ShownHeader {
  origin: string;
  /** `null`: removed, or it can't be opened */
  name: string | null;
}

/** `value` `null` removes the header */
export interface HeaderInput {
  url: string;
  name: string;
  value: string | null;
}

const listed = ({ tenantId: _, body, ...message }: WebhookMessage): ListedWebhook => ({
  ...message,
  body: JSON.parse(body) as JsonObject,
});

type StoredHeader = WebhookSecret & { destination: string };
const isHeader = (secret: WebhookSecret): secret is StoredHeader => secret.destination !== null;

export const createWebhookAdmin = (
  deps: AdminDeps & {
    webhooks: WebhookStore;
    vault: Vault;
    newWebhookSecret: () => string;
    allowPrivateUpstreams: boolean;
    ownOrigins: readonly string[];
  },
) => {
  const headersOf = async (tenantId: string): AsyncResult<StoredHeader[]> => {
    const secrets = await deps.webhooks.secrets(tenantId, deps.now());
    return secrets.ok ? ok(secrets.value.filter(isHeader)) : secrets;
  };

  return {
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

    async headers(actor: Actor, slug: string): AsyncResult<{ data: ShownHeader[] }> {
      const tenant = await tenantFor(deps, actor, slug);
      if (!tenant.ok) return tenant;
      const stored = await headersOf(tenant.value.id);
      if (!stored.ok) return stored;
      const data = await Promise.all(
        stored.value.map(async (header): Promise<ShownHeader> => {
          const plain = await deps.vault.open(header.sealed, webhookSecretOf(header));
          const name = plain.ok ? (JSON.parse(plain.value) as HeaderInput).name : null;
          return { origin: header.destination, name };
        }),
      );
      return ok({ data });
    },

    async replaceHeader(actor: Actor, slug: string, input: HeaderInput): AsyncResult<ShownHeader> {
      const tenant = await tenantFor(deps, actor, slug);
      if (!tenant.ok) return tenant;
      const { id: tenantId } = tenant.value;
      const { url, name, value } = input;
      const checked = checkedWebhook({ url, path: "url" }, deps);
      if (!checked.ok) return checked;
      const { origin } = new URL(url);
      const stored = await headersOf(tenantId);
      if (!stored.ok) return stored;
      const others = stored.value.filter(({ destination }) => destination !== origin);
      if (value !== null && others.length >= maxHeaders)
        return err({
          reason: "invalid_params",
          path: "url",
          detail: `At most ${maxHeaders} origins can have a header. Remove one first.`,
        });
      const whose = { id: deps.ids.next("webhook"), tenantId, destination: origin };
      const sealed = await deps.vault.seal(JSON.stringify({ name, value }), webhookSecretOf(whose));
      const detail = { name: value === null ? null : name, origin };
      const event = { action: "webhook.header", tenantId, target: tenantId, detail };
      const replaced = await deps.webhooks.replaceHeader(
        whose,
        value === null ? null : { ...whose, sealed, createdAt: deps.now() },
        eventOf(deps, actor, event),
      );
      return replaced.ok ? ok({ origin, name: value === null ? null : name }) : replaced;
    },

    async rotateSecret(actor: Actor, slug: string): AsyncResult<NewWebhookSecret> {
      const tenant = await tenantFor(deps, actor, slug);
      if (!tenant.ok) return tenant;
      const { id: tenantId } = tenant.value;
      const id = deps.ids.next("webhook");
      const secret = deps.newWebhookSecret();
      const createdAt = deps.now();
      const previousUntil = createdAt + bothSignMs;
      const whose = { id, tenantId, destination: null };
      const sealed = await deps.vault.seal(secret, webhookSecretOf(whose));
      const rotated = await deps.webhooks.rotate(
        { ...whose, sealed, createdAt },
        previousUntil,
        eventOf(deps, actor, { action: "webhook.secret", tenantId, target: id }),
      );
      return rotated.ok
        ? ok({ secret, previousUntil: rotated.value ? previousUntil : null })
        : rotated;
    },
  };
};
