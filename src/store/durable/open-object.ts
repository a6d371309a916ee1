/** The database in the Durable Object of a name, over RPC. */
import type { DurableObjectNamespace } from "@cloudflare/workers-types";
import { jurisdictionOf } from "../../domain/tenancy/tenant-databases.ts";
import type { Database, DatabaseOptions } from "../db.ts";
import { openOverEngine } from "../over-engine.ts";
import { createStubEngine, type DatabaseObject } from "./stub-engine.ts";

export interface Objects {
  namespace: Pick<DurableObjectNamespace, "getByName" | "jurisdiction">;
  wait: (ms: number) => Promise<void>;
}

/** The name has the jurisdiction in it, and no object is ever looked for without that. */
export function connectTo({ namespace }: Pick<Objects, "namespace">, name: string): DatabaseObject {
  const jurisdiction = jurisdictionOf(name);
  const within = jurisdiction === null ? namespace : namespace.jurisdiction(jurisdiction);
  // The class's own methods, which the namespace's type does not know.
  return within.getByName(name) as unknown as DatabaseObject;
}

export const openObject = (objects: Objects, name: string, options: DatabaseOptions): Database =>
  openOverEngine(
    createStubEngine({ connect: () => connectTo(objects, name), wait: objects.wait }),
    options,
  );
