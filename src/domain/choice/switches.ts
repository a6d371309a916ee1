/** Kill switches: what a tenant, or the operator, has stopped, and why. A switch that is on is a reason. */
import { isNamedIn, type NamedModel } from "../models/allowed.ts";
import type { Refusal } from "../refusals.ts";

/** Each reason is for people. An absent member is not stopped. */
export interface Switches {
  /** the whole tenant */
  tenant?: string;
  /** by the slug of a registered server: no message is passed on to it, and nothing is sampled for it */
  servers?: Record<string, string>;
  /** by the id of an API key */
  keys?: Record<string, string>;
  /** by a glob over `provider/model` */
  models?: Record<string, string>;
  /** by a provider's name */
  providers?: Record<string, string>;
}

/** Whose switches they are, and who asks. */
export interface Asking {
  tenant: {
    slug: string;
    policy: { stopped?: Switches };
    ceiling: { stopped?: string };
  };
  keyId: string;
  /** the slug of the registered server in question; null: the caller asks for itself */
  server: string | null;
}

const own = (switches: Record<string, string> | undefined, name: string): string | undefined =>
  switches !== undefined && Object.hasOwn(switches, name) ? switches[name] : undefined;

/** Why the caller may use nothing; null: no switch is on. The operator's switch comes first: no tenant can lift it. */
export function stoppedBy({ tenant, keyId, server }: Asking): Refusal | null {
  const { policy, ceiling, slug } = tenant;
  const { stopped = {} } = policy;
  const refusal = (what: string, name: string, why: string | undefined): Refusal | null =>
    why === undefined ? null : { reason: "stopped", what, name, why };
  return (
    refusal("tenant", slug, ceiling.stopped) ??
    refusal("tenant", slug, stopped.tenant) ??
    refusal("key", keyId, own(stopped.keys, keyId)) ??
    refusal("server", server ?? "", server === null ? undefined : own(stopped.servers, server))
  );
}

/** Whether no call may use the model. */
export const isStopped = (model: NamedModel, { models = {}, providers = {} }: Switches): boolean =>
  Object.hasOwn(providers, model.provider) || isNamedIn(Object.keys(models), model);
