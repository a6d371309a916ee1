import {
  alertOfBudget,
  circuitOpenMs,
  alertDayOf,
  isFor,
  type Alert,
  type AlertSubject,
} from "../../domain/alerts.ts";
import { alertBody, causeOf } from "../../domain/alert-messages.ts";
import { stateOf } from "../../domain/choice/circuits.ts";
import type { AlertStore, TenantCircuit, Trouble } from "../../domain/ports/alerts.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import type { NameStore } from "../../domain/ports/names.ts";
import { namesOfSubjects } from "../callers/subject-names.ts";
import type { Ids } from "../../domain/tenancy/ids.ts";
import { calendarOf } from "../callers/time-zones.ts";

export interface AlertDeps {
  alerts: AlertStore;
  ids: Ids;
  now: () => number;
  names: NameStore;
  /** of the router, without a slash at its end; null: not set */
  publicUrl: string | null;
}

/** An answer deletes the circuit's row. */
const isOpenForLong = (circuit: TenantCircuit, now: number): boolean => {
  const first = circuit.faults.at(-1)?.at ?? now;
  return now - first >= circuitOpenMs && stateOf(circuit, now).state !== "closed";
};

const alertOfTrouble = (trouble: Trouble, now: number): AlertSubject => ({
  ...trouble,
  ...alertDayOf(now),
  name: null,
  threshold: null,
  limit: null,
  used: null,
});

async function found({ alerts, now }: AlertDeps): AsyncResult<AlertSubject[]> {
  const at = now();
  const crossed = await alerts.crossed(at, calendarOf);
  if (!crossed.ok) return crossed;
  const troubles = await alerts.troubles(at);
  if (!troubles.ok) return troubles;
  const circuits = await alerts.circuits(at);
  if (!circuits.ok) return circuits;
  const open = circuits.value
    .filter((circuit) => isOpenForLong(circuit, at))
    .map(({ tenantId, scope }): Trouble => ({ tenantId, kind: "circuit_open", subject: scope }));
  return ok([
    ...crossed.value.map(alertOfBudget),
    ...[...troubles.value, ...open].map((trouble) => alertOfTrouble(trouble, at)),
  ]);
}

/** Empty if the alert is only listed. */
async function messagesFor(
  { alerts, names, publicUrl }: AlertDeps,
  alert: Alert,
): AsyncResult<{ url: string; body: string }[]> {
  const { tenantId, subject } = alert;
  const tenant = await alerts.tenant(tenantId);
  if (!tenant.ok) return tenant;
  const receivers = tenant.value?.alerts.receivers?.filter((each) => isFor(each, alert)) ?? [];
  if (tenant.value === null || receivers.length === 0) return ok([]);
  const named = await namesOfSubjects(names, tenantId, [subject]);
  if (!named.ok) return named;
  const { slug, name } = tenant.value;
  const message = {
    alert,
    tenant: { slug, name },
    subject: named.value[subject] ?? subject,
    link: publicUrl === null ? null : `${publicUrl}/console/t/${slug}${causeOf(alert)}`,
  };
  return ok(receivers.map((each) => ({ url: each.webhookUrl, body: alertBody(each, message) })));
}

export const createAlertJob = (deps: AlertDeps) => async (): AsyncResult<number> => {
  const { alerts, ids, now } = deps;
  const subjects = await found(deps);
  if (!subjects.ok) return subjects;
  let raised = 0;
  for (const subject of subjects.value) {
    const at = now();
    const { tenantId, ...alertSubject } = subject;
    const alert = { ...subject, id: ids.next("alert"), at };
    const messages = await messagesFor(deps, alert);
    if (!messages.ok) return messages;
    const done = await alerts.raise(
      alert,
      {
        id: ids.next("event"),
        at,
        actor: "router",
        action: "alert.raised",
        tenantId,
        target: subject.subject,
        detail: alertSubject,
      },
      messages.value,
    );
    if (!done.ok) return done;
    if (done.value) raised += 1;
  }
  return ok(raised);
};
