import {
  alertOfBudget,
  circuitOpenMs,
  alertDayOf,
  type AlertSubject,
} from "../../domain/alerts.ts";
import { stateOf } from "../../domain/choice/circuits.ts";
import type { AlertStore, TenantCircuit, Trouble } from "../../domain/ports/alerts.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import type { Ids } from "../../domain/tenancy/ids.ts";
import { calendarOf } from "../callers/time-zones.ts";

export interface AlertDeps {
  alerts: AlertStore;
  ids: Ids;
  now: () => number;
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
  share: null,
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

export const createAlertJob = (deps: AlertDeps) => async (): AsyncResult<number> => {
  const { alerts, ids, now } = deps;
  const subjects = await found(deps);
  if (!subjects.ok) return subjects;
  let raised = 0;
  for (const subject of subjects.value) {
    const at = now();
    const { tenantId, ...alertSubject } = subject;
    const done = await alerts.raise(
      { ...subject, id: ids.next("alert"), at },
      {
        id: ids.next("event"),
        at,
        actor: "router",
        action: "alert.raised",
        tenantId,
        target: subject.subject,
        detail: alertSubject,
      },
    );
    if (!done.ok) return done;
    if (done.value) raised += 1;
  }
  return ok(raised);
};
