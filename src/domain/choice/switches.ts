import { isNamedIn, type NamedModel } from "../models/allowed.ts";
import type { Refusal } from "../refusals.ts";

/** Each value is a reason, shown to users. */
export interface Switches {
  tenant?: string;
  servers?: Record<string, string>;
  keys?: Record<string, string>;
  models?: Record<string, string>;
  providers?: Record<string, string>;
}

export interface SwitchContext {
  tenant: {
    slug: string;
    policy: { stopped?: Switches };
    ceiling: { stopped?: string };
  };
  keyId: string;
  server: string | null;
}

const own = (switches: Record<string, string> | undefined, name: string): string | undefined =>
  switches !== undefined && Object.hasOwn(switches, name) ? switches[name] : undefined;

/** The refusal by the first active switch. The operator's switch takes precedence. */
export function stoppedBy({ tenant, keyId, server }: SwitchContext): Refusal | null {
  const { policy, ceiling, slug } = tenant;
  const { stopped = {} } = policy;
  const refusal = (kind: string, name: string, explanation: string | undefined): Refusal | null =>
    explanation === undefined ? null : { reason: "stopped", kind, name, explanation };
  return (
    refusal("tenant", slug, ceiling.stopped) ??
    refusal("tenant", slug, stopped.tenant) ??
    refusal("key", keyId, own(stopped.keys, keyId)) ??
    refusal("server", server ?? "", server === null ? undefined : own(stopped.servers, server))
  );
}

export const isStopped = (model: NamedModel, { models = {}, providers = {} }: Switches): boolean =>
  Object.hasOwn(providers, model.provider) || isNamedIn(Object.keys(models), model);
