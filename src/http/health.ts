import { Hono } from "hono";
import type { WriteFault } from "../domain/ports/readiness.ts";
import type { HttpEnv } from "./context.ts";
import { problem } from "./problem.ts";

const detailOf: { readonly [F in WriteFault]: string } = {
  read_only: "The database can be read, but not written.",
  full: "The database or its disk is full.",
  corrupt: "The database file is damaged. Nothing is written to it.",
  replaced:
    "The database file was deleted or replaced. Stop the router, restore the file or a backup, and start it again.",
  too_slow: "The database didn't complete a write within 2 s.",
  refused: "The database refused a write.",
};

/** `/health`: liveness. `/health/ready`: the database answers, is migrated, and accepts writes. */
export const healthRoutes = (): Hono<HttpEnv> =>
  new Hono<HttpEnv>()
    .get("/", (c) => c.json({ status: "alive" }))
    .get("/ready", async (c) => {
      const checked = await c.get("services").health.readiness.check();
      if (!checked.ok) return problem(c, checked.error);
      const { missingMigrations, writeFault } = checked.value;
      if (writeFault !== undefined)
        return c.json(
          {
            status: "writes fail",
            fault: writeFault,
            detail: detailOf[writeFault],
            missingMigrations,
          },
          503,
        );
      return missingMigrations.length === 0
        ? c.json({ status: "ready" })
        : c.json({ status: "migrations missing", missingMigrations }, 503);
    });
