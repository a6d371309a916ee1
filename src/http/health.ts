import { Hono } from "hono";
import type { HttpEnv } from "./context.ts";
import { problem } from "./problem.ts";

/** `/health`: alive. `/health/ready`: every database answers and has every migration. */
export const healthRoutes = (): Hono<HttpEnv> =>
  new Hono<HttpEnv>()
    .get("/", (c) => c.json({ status: "alive" }))
    .get("/ready", async (c) => {
      const checked = await c.get("services").readiness.check();
      if (!checked.ok) return problem(c, checked.error);
      const { missingMigrations, outOfReach = [] } = checked.value;
      if (outOfReach.length > 0)
        return c.json({ status: "shards out of reach", outOfReach, missingMigrations }, 503);
      return missingMigrations.length === 0
        ? c.json({ status: "ready" })
        : c.json({ status: "migrations missing", missingMigrations }, 503);
    });
