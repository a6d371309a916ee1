import { Hono } from "hono";
import { responseOf } from "../domain/ports/client-answer.ts";
import { receive } from "../proxy/receive.ts";
import { protectAnswer } from "./answer-headers.ts";
import type { HttpEnv } from "./context.ts";
import { problem } from "./problem.ts";

export const proxyRoutes = (): Hono<HttpEnv> =>
  new Hono<HttpEnv>()
    .use(async (c, next) => {
      await next();
      protectAnswer(c.res.headers);
    })
    .on(["POST", "GET", "DELETE"], "/:tenant/:server", async (c) => {
      const answer = await receive(c.get("services").proxy, {
        request: c.req.raw,
        path: c.req.path,
        through: { tenant: c.req.param("tenant"), server: c.req.param("server") },
        requestId: c.get("requestId"),
        problem: (refusal) => problem(c, refusal),
      });
      return responseOf(answer);
    })
    .all("/:tenant/:server", (c) => {
      const response = problem(c, { reason: "method_not_allowed", allow: "POST, GET, DELETE" });
      response.headers.set("Allow", "POST, GET, DELETE");
      return response;
    });
