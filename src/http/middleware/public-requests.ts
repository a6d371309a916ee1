import { createMiddleware } from "hono/factory";
import { fieldsIn } from "../../domain/bounded-form.ts";
import type { HttpEnv } from "../context.ts";
import { problem } from "../problem.ts";

/** Rate limit per network; bounds the query before anything reads it. */
export const limitPublicRequests = createMiddleware<HttpEnv>(async (c, next) => {
  const limited = c.get("services").app.publicRequests(c.env.address?.() ?? "");
  if (limited !== null) return problem(c, limited);
  const query = fieldsIn(new URL(c.req.url).search.slice(1));
  return query.ok ? next() : problem(c, query.error);
});
