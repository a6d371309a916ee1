import { Hono } from "hono";
import { bearerOf } from "../domain/tenancy/access.ts";
import { ok } from "../domain/result.ts";
import type { HttpEnv } from "./context.ts";
import { problem } from "./problem.ts";

/** `/metrics` for the operator's Prometheus, on hosts with a single process. */
export const metricRoutes = (): Hono<HttpEnv> =>
  new Hono<HttpEnv>().get("/", async (c) => {
    const { metrics } = c.get("services");
    if (metrics.shownMetrics === null)
      return problem(c, { reason: "not_found", what: "no such path" });
    const token = bearerOf(c.req.header("Authorization"));
    const address = c.env.address?.() ?? "";
    const operator = token === null ? ok(false) : await metrics.isOperator({ token, address });
    if (!operator.ok) return problem(c, operator.error);
    if (!operator.value)
      return problem(c, {
        reason: "unauthorized",
        detail: "Send Authorization: Bearer <operator's token>.",
      });
    const { text, type } = metrics.shownMetrics();
    return c.text(text, 200, { "Content-Type": type, "Cache-Control": "no-store" });
  });
