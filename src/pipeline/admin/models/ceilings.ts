import type { Actor } from "../../../domain/tenancy/access.ts";
import { mayUse, operatorPaidProviders, type Ceiling } from "../../../domain/limits/ceilings.ts";
import type { JsonObject } from "../../../domain/json.ts";
import { isPrice, type DeclaredModel } from "../../../domain/models/model.ts";
import type { Tenant } from "../../../domain/ports/stores.ts";
import type { AsyncResult, Refusal } from "../../../domain/refusals.ts";
import { err, mapped, ok, type Result } from "../../../domain/result.ts";
import { eventOf, tenantFor, type AdminDeps } from "../access/access.ts";
import { calendarOf } from "../../callers/time-zones.ts";
import { edit, type IfMatch } from "../access/editing.ts";

const forbidden = (action: string): Result<never, Refusal> => err({ reason: "forbidden", action });

export const checkLeave = ({ slug, ceiling }: Tenant, provider: string): Result<null, Refusal> =>
  mayUse(ceiling, provider)
    ? ok(null)
    : forbidden(
        `the operator pays for the provider "${provider}", and can allow it with PUT /admin/v1/tenants/${slug}/ceiling`,
      );

/** Custom prices of providers that the operator pays for would bypass every budget. */
export function mayDescribe(actor: Actor, provider: string): Result<null, Refusal> {
  return actor.kind === "operator" || !operatorPaidProviders.has(provider)
    ? ok(null)
    : forbidden(`the models of "${provider}" are described by the operator, who pays for them`);
}

export function mayDeclare(
  actor: Actor,
  provider: string,
  models: readonly DeclaredModel[] | null | undefined,
): Result<null, Refusal> {
  const priced = (models ?? []).some((model) => Object.keys(model).some(isPrice));
  return priced ? mayDescribe(actor, provider) : ok(null);
}

export const createCeilingAdmin = (deps: AdminDeps) => {
  const find = async (actor: Actor, slug: string): AsyncResult<Tenant> => {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok || actor.kind === "operator") return tenant;
    return forbidden("only the operator can change a tenant's ceiling");
  };
  return {
    get: (actor: Actor, slug: string): AsyncResult<Ceiling> =>
      mapped(find(actor, slug), (tenant) => tenant.ceiling),

    replace: (
      actor: Actor,
      slug: string,
      { ifMatch, ceiling }: { ifMatch: IfMatch; ceiling: Ceiling },
    ): AsyncResult<Ceiling> =>
      edit(ifMatch, {
        async read() {
          const tenant = await find(actor, slug);
          if (!tenant.ok) return tenant;
          const { ceiling: shown, version } = tenant.value;
          return ok({ current: tenant.value, shown, version });
        },
        async write({ id, policy }, ifVersion) {
          const event = eventOf(deps, actor, {
            action: "ceiling.replace",
            tenantId: id,
            target: id,
            detail: ceiling as unknown as JsonObject,
          });
          const updated = await deps.tenants.update(
            id,
            { ceiling, calendar: calendarOf(policy.timeZone, event.at) },
            event,
            ifVersion,
          );
          return updated.ok ? ok(ceiling) : updated;
        },
      }),
  };
};
