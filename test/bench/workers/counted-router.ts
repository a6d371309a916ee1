/**
 * The router with a counter between it and D1, which nothing outside the runtime can see. Each call
 * of the binding that is counted here is one round trip to the database. Requests come one by one.
 */
import type { D1Database, D1PreparedStatement, ExecutionContext } from "@cloudflare/workers-types";
import worker from "../../../src/worker.ts";

type Event = "database" | "provider";
let events: Event[] = [];

const outside = globalThis.fetch;
globalThis.fetch = (...args) => {
  events.push("provider");
  return outside(...args);
};

const reals = new WeakMap<object, D1PreparedStatement>();

function countedStatement(real: D1PreparedStatement): D1PreparedStatement {
  const counted: D1PreparedStatement = new Proxy(real, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name, target);
      if (typeof found !== "function") return found;
      return (...args: unknown[]): unknown => {
        if (name === "bind") return countedStatement(target.bind(...args));
        events.push("database");
        return Reflect.apply(found, target, args);
      };
    },
  });
  reals.set(counted, real);
  return counted;
}

const countedDatabase = (real: D1Database): D1Database =>
  new Proxy(real, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name, target);
      if (typeof found !== "function") return found;
      return (...args: unknown[]): unknown => {
        if (name === "prepare") return countedStatement(target.prepare(String(args[0])));
        events.push("database");
        if (name !== "batch") return Reflect.apply(found, target, args);
        const statements = args[0] as D1PreparedStatement[];
        return target.batch(statements.map((statement) => reals.get(statement) ?? statement));
      };
    },
  });

export default {
  async fetch(
    request: Request,
    env: { DB: D1Database },
    context: ExecutionContext,
  ): Promise<Response> {
    if (new URL(request.url).pathname === "/bench/events") {
      const taken = events;
      events = [];
      return Response.json(taken);
    }
    return worker.fetch(request, { ...env, DB: countedDatabase(env.DB) }, context);
  },
};
