/** The database in the Durable Object of a name, over RPC. */
import type { DurableObjectNamespace } from "@cloudflare/workers-types";
import type { Room } from "../../../domain/limits/room.ts";
import type { RequestFeeds } from "../../../domain/ports/request-feed.ts";
import type { AsyncResult, Refusal } from "../../../domain/refusals.ts";
import type { Residency } from "../../../domain/tenancy/residency.ts";
import { isTenantDatabase, jurisdictionOf } from "../../../domain/tenancy/tenant-databases.ts";
import type { Database, DatabaseOptions } from "../../db.ts";
import { ok } from "../../../domain/result.ts";
import { openOverEngine } from "../../over-engine.ts";
import { listenerOf } from "./feed-lines.ts";
import { askRoom, askToFollow, createStubEngine, type TenantStub } from "./stub-engine.ts";

export interface Objects {
  namespace: Pick<DurableObjectNamespace, "getByName" | "jurisdiction">;
  wait: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/**
 * The name has the jurisdiction in it, and no object is ever looked for without that.
 * @param residency where the object is made, if it is not there yet; its region means nothing afterwards
 */
export function connectTo(
  { namespace }: Pick<Objects, "namespace">,
  name: string,
  residency: Residency | null = null,
): TenantStub {
  const jurisdiction = jurisdictionOf(name);
  const within = jurisdiction === null ? namespace : namespace.jurisdiction(jurisdiction);
  // The class's own methods, which the namespace's type does not know.
  return within.getByName(name, hintOf(residency)) as unknown as TenantStub;
}

const hintOf = (residency: Residency | null) =>
  residency?.region === undefined ? undefined : { locationHint: residency.region };

/** Why an object can't be made there; null: it can. workerd on one's own machine has one place only. */
export function refusesResidency(
  { namespace }: Pick<Objects, "namespace">,
  { region, jurisdiction }: Residency,
): Refusal | null {
  if (region === undefined && jurisdiction === undefined) return null;
  try {
    namespace.jurisdiction(jurisdiction ?? "eu");
    return null;
  } catch {
    return {
      reason: "invalid_params",
      path: jurisdiction === undefined ? "region" : "jurisdiction",
      detail:
        "This runtime has one place for all data: regions and jurisdictions are Cloudflare's. Leave it out here.",
    };
  }
}

export const openObject = (
  objects: Objects,
  name: string,
  { residency = null, ...options }: DatabaseOptions & { residency?: Residency | null },
): Database =>
  openOverEngine(
    createStubEngine({ connect: () => connectTo(objects, name, residency), wait: objects.wait }),
    options,
  );

/** How full the object of a tenant is; null: the name is no tenant's own database's, and nobody bounds its size. */
export const roomOfObject = (objects: Objects, name: string): (() => AsyncResult<Room>) | null =>
  isTenantDatabase(name)
    ? () => askRoom({ connect: () => connectTo(objects, name), wait: objects.wait })
    : null;

/** Feeds that a tenant's object has for all isolates; null: the name is no tenant's own database's. */
export const feedsOfObject = (objects: Objects, name: string): RequestFeeds | null =>
  isTenantDatabase(name)
    ? {
        async listen(tenantId, since) {
          const reach = { connect: () => connectTo(objects, name), wait: objects.wait };
          const lines = await askToFollow(reach, { tenantId, since });
          return lines.ok ? ok(listenerOf(lines.value, objects.wait)) : lines;
        },
      }
    : null;
