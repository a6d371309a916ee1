/** `POST /v1/route`: the dry run. */
import { Hono } from "hono";
import { isObject, type JsonObject } from "../domain/json.ts";
import { codecFor, supportedRevisions } from "../mcp/era.ts";
import { readBody } from "./body.ts";
import { bearerOf, type HttpEnv } from "./context.ts";
import { problem } from "./problem.ts";

function parseObject(bytes: Uint8Array): JsonObject | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

export const dryRunRoutes = (): Hono<HttpEnv> =>
  new Hono<HttpEnv>()
    .post("/", async (c) => {
      const { authenticate, route } = c.get("services");
      const caller = await authenticate(
        {
          token: bearerOf(c.req.header("Authorization")),
          sessionId: c.req.header("Mcp-Session-Id") ?? null,
          scope: "sampling",
        },
        "database",
      );
      if (!caller.ok) return problem(c, caller.error);
      const body = await readBody(c.req.raw);
      if (!body.ok) return problem(c, body.error);
      const params = parseObject(body.value);
      if (params === null)
        return problem(c, { reason: "bad_request", detail: "The body is a JSON object in UTF-8." });
      const revision = caller.value.session?.revision ?? supportedRevisions[0] ?? "";
      const codec = codecFor(revision);
      if (codec === null) return problem(c, { reason: "session_not_found" });
      const call = codec.decodeCall(params);
      if (!call.ok) return problem(c, call.error);
      const decision = route(call.value, caller.value, codec.capabilitiesOf);
      return decision.ok ? c.json(decision.value) : problem(c, decision.error);
    })
    .all("/", (c) => problem(c, { reason: "method_not_allowed", allow: "POST" }));
