/**
 * The router with a counter between it and its Durable Objects, which nothing outside the runtime can see. Each call
 * of an object that is counted here is one round trip to the database. Requests come one by one.
 */
import type { DurableObjectNamespace, DurableObjectStub } from "@cloudflare/workers-types";
import worker from "../../../src/worker.ts";

export { ParkedCall, TenantDatabase } from "../../../src/worker.ts";

type Event = "database" | "provider";
let events: Event[] = [];

const outside = globalThis.fetch;
globalThis.fetch = (...args) => {
  events.push("provider");
  return outside(...args);
};

/** Everything that is asked of a stub is a call of its object. */
const countedStub = (real: DurableObjectStub): DurableObjectStub =>
  new Proxy(real, {
    get:
      (_, name) =>
      (...args: unknown[]): unknown => {
        events.push("database");
        const object = real as unknown as Record<string | symbol, (...all: unknown[]) => unknown>;
        return object[name]?.(...args);
      },
  });

const countedNamespace = (real: DurableObjectNamespace): DurableObjectNamespace =>
  ({
    idFromName: (name: string) => real.idFromName(name),
    getByName: (name: string) => countedStub(real.getByName(name)),
  }) as unknown as DurableObjectNamespace;

export default {
  async fetch(
    request: Request,
    env: Record<"DATABASES" | "PARKED_CALLS", DurableObjectNamespace>,
  ): Promise<Response> {
    if (new URL(request.url).pathname === "/bench/events") {
      const taken = events;
      events = [];
      return Response.json(taken);
    }
    const counted = { ...env, DATABASES: countedNamespace(env.DATABASES) };
    return worker.fetch(request, counted);
  },
};
