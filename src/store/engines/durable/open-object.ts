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

/** The name includes the jurisdiction, so an object is never looked up outside it. */
export function connectTo(
  { namespace }: Pick<Objects, "namespace">,
  name: string,
  residency: Residency | null = null,
): TenantStub {
  const jurisdiction = jurisdictionOf(name);
  const within = jurisdiction === null ? namespace : namespace.jurisdiction(jurisdiction);
  // The namespace's type lacks the class's own methods.
  return within.getByName(name, hintOf(residency)) as unknown as TenantStub;
}

const hintOf = (residency: Residency | null) =>
  residency?.region === undefined ? undefined : { locationHint: residency.region };

/** Why an object can't be created there. workerd on a local machine has one location only. */
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

export const roomOfObject = (objects: Objects, name: string): (() => AsyncResult<Room>) | null =>
  isTenantDatabase(name)
    ? () => askRoom({ connect: () => connectTo(objects, name), wait: objects.wait })
    : null;

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
