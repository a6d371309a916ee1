import {
  alertBody,
  causeOf,
  sentenceOf,
  severityOf,
  type Severity,
} from "../../../domain/alert-messages.ts";
import type { Alert, AlertReceiver } from "../../../domain/alerts.ts";
import type { JsonObject } from "../../../domain/json.ts";
import type { AlertDelivery, AlertStore, StoredAlert } from "../../../domain/ports/alerts.ts";
import { keptMessagesMs } from "../../../domain/ports/webhooks.ts";
import type { NameStore } from "../../../domain/ports/names.ts";
import type { Page, PageRequest } from "../../../domain/ports/pages.ts";
import type { AsyncResult } from "../../../domain/refusals.ts";
import { ok } from "../../../domain/result.ts";
import type { Actor } from "../../../domain/tenancy/access.ts";
import type { SendMessage, WebhookHeader } from "../../scheduled/webhooks.ts";
import { namesOfSubjects } from "../../callers/subject-names.ts";
import { tenantFor, type AdminDeps } from "../access/access.ts";
import { originOf } from "../access/shown-urls.ts";
import { checkedWebhook } from "../access/webhook-url.ts";

export type ShownDelivery = Omit<AlertDelivery, "url"> & { origin: string };

export type ListedAlert = Alert & {
  severity: Severity;
  text: string;
  /** `null`: its messages, if there were any, are no longer stored */
  deliveries: ShownDelivery[] | null;
};

export interface AlertTest {
  /** `null` without an answer */
  status: number | null;
  fault: string | null;
  /** the beginning of the receiver's answer */
  answer: string;
  body: JsonObject;
}

type AskedTest = Omit<AlertReceiver, "kinds" | "thresholds"> & { header?: WebhookHeader };

const sample = {
  kind: "budget_crossed",
  name: "tenant.usdPerMonth",
  threshold: 80,
  limit: 100,
  used: 80,
} as const;
const dayMs = 86_400_000;

/** URLs of webhooks often are secrets. */
const shownDelivery = ({ url, ...delivery }: AlertDelivery): ShownDelivery => ({
  ...delivery,
  origin: originOf(url),
});
const mayHaveMessages = ({ at, deliveries }: StoredAlert, now: number): boolean =>
  deliveries.length > 0 || at > now - keptMessagesMs;

export const createAlertAdmin = (
  deps: AdminDeps & {
    alerts: Pick<AlertStore, "list">;
    names: NameStore;
    allowPrivateUpstreams: boolean;
    ownOrigins: readonly string[];
    publicUrl: string | null;
    sendOnce: SendMessage;
  },
) => ({
  async list(
    actor: Actor,
    slug: string,
    page: PageRequest,
  ): AsyncResult<Page<ListedAlert> & { names: Record<string, string> }> {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok) return tenant;
    const { id } = tenant.value;
    const listed = await deps.alerts.list(id, page);
    if (!listed.ok) return listed;
    const subjects = listed.value.data.map(({ subject }) => subject);
    const names = await namesOfSubjects(deps.names, id, subjects);
    if (!names.ok) return names;
    const now = deps.now();
    const data = listed.value.data.map((alert) => ({
      ...alert,
      deliveries: mayHaveMessages(alert, now) ? alert.deliveries.map(shownDelivery) : null,
      severity: severityOf(alert),
      text: sentenceOf(alert, names.value[alert.subject] ?? alert.subject),
    }));
    return ok({ ...listed.value, data, names: names.value });
  },

  async test(actor: Actor, slug: string, { header, ...asked }: AskedTest): AsyncResult<AlertTest> {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok) return tenant;
    const { id: tenantId, name, policy } = tenant.value;
    const { webhookUrl: url } = asked;
    const stored = policy.alerts?.receivers?.find(({ webhookUrl }) => webhookUrl === url);
    const before = [stored?.webhookUrl];
    const checked = checkedWebhook({ url, path: "webhookUrl", before }, deps);
    if (!checked.ok) return checked;
    const at = deps.now();
    const alert: Alert = {
      ...sample,
      id: deps.ids.next("alert"),
      tenantId,
      subject: tenantId,
      at,
      periodFrom: at,
      periodUntil: at + dayMs,
    };
    const body = alertBody(
      { ...stored, ...asked },
      {
        alert,
        tenant: { slug, name },
        subject: `${name} (test)`,
        link:
          deps.publicUrl === null ? null : `${deps.publicUrl}/console/t/${slug}${causeOf(alert)}`,
      },
    );
    const message = { id: `msg_${alert.id}_test`, tenantId, url, body, header };
    const sent = await deps.sendOnce({ ...message, reads: "answer" });
    if (!sent.ok) return sent;
    const { status, fault, answer = "" } = sent.value;
    return ok({ status, fault, answer, body: JSON.parse(body) as JsonObject });
  },
});
