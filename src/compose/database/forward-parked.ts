/** Requests to the Durable Objects that keep parked calls. */
import type { DurableObjectNamespace } from "@cloudflare/workers-types";
import type { Host } from "../host.ts";

const objectId = /^[0-9a-f]{64}$/;

/** A request for an owner that isn't an object, for example a Node process, goes to a new object, which has no calls. */
export const createForwardParked =
  (
    all: Pick<DurableObjectNamespace, "get" | "idFromString" | "jurisdiction" | "newUniqueId">,
  ): NonNullable<Host["forwardParked"]> =>
  async (request, { owner, jurisdiction }) => {
    const namespace = jurisdiction === null ? all : all.jurisdiction(jurisdiction);
    const isObject = owner !== null && objectId.test(owner);
    const id = isObject ? namespace.idFromString(owner) : namespace.newUniqueId();
    // The types of the package and of the runtime's globals differ.
    return namespace.get(id).fetch(request as never) as never;
  };
