/** Active kill switches of a tenant and the operator. Pure, for tests. */
import type { Schemas } from "./api.ts";

type Tenant = Pick<Schemas["Tenant"], "policy" | "stoppedByOperator">;

/** A tenant can't lift the operator's switch. */
export const kinds = {
  operator: "the whole tenant, by the operator",
  tenant: "the whole tenant",
  servers: "server",
  keys: "API key",
  models: "model",
  providers: "provider",
} as const;
export type Kind = keyof typeof kinds;

export interface Stop {
  kind: Kind;
  name: string;
  why: string;
}

const named = ["servers", "keys", "models", "providers"] as const;

export function stopsOf({ policy: { stopped = {} }, stoppedByOperator }: Tenant): Stop[] {
  const whole = (kind: Kind, why: string | null | undefined): Stop[] =>
    why ? [{ kind, name: "", why }] : [];
  return [
    ...whole("operator", stoppedByOperator),
    ...whole("tenant", stopped.tenant),
    ...named.flatMap((kind) =>
      Object.entries(stopped[kind] ?? {}).map(([name, why]) => ({ kind, name, why })),
    ),
  ];
}

type Saved = Pick<Schemas["AdminEvent"], "actor" | "at" | "detail">;

/** What turned a switch on with its present reason, of saved policies or ceilings, newest first. */
export function turnedBy({ kind, name, why }: Stop, saved: readonly Saved[]): Saved | undefined {
  const isOn = ({ detail }: Saved): boolean =>
    kind === "operator"
      ? detail["stopped"] === why
      : stopsOf({ policy: detail, stoppedByOperator: null }).some(
          (each) => each.kind === kind && each.name === name && each.why === why,
        );
  const off = saved.findIndex((event) => !isOn(event));
  return saved.at(off === -1 ? -1 : Math.max(off - 1, 0));
}

/** Whether requests through a server are stopped. */
export const stopsServer = (stops: readonly Stop[], slug: string): boolean =>
  stops.some(
    ({ kind, name }) =>
      kind === "operator" || kind === "tenant" || (kind === "servers" && name === slug),
  );

/** A merge patch; `why` `null` turns the switch off. */
export const patchOf = ({ kind, name }: Omit<Stop, "why">, why: string | null): object => ({
  stopped: kind === "tenant" ? { tenant: why } : { [kind]: { [name]: why } },
});
