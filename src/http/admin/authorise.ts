/** The operator's token, or an API key with the scope `tenant-admin`. */
import { createMiddleware } from "hono/factory";
import { type HttpEnv } from "../context.ts";
import { bearerOf } from "../../domain/tenancy/access.ts";
import { problem } from "../problem.ts";

export const authorise = createMiddleware<HttpEnv>(async (c, next) => {
  const { isOperator, authenticate } = c.get("services").admin;
  const token = bearerOf(c.req.header("Authorization"));
  if (token === null)
    return problem(c, {
      reason: "unauthorized",
      detail: "Send Authorization: Bearer <operator's token or tenant-admin key>.",
    });
  if (await isOperator(token)) {
    c.set("actor", { kind: "operator" });
    return next();
  }
  const caller = await authenticate({ token, sessionId: null, scope: "tenant-admin" }, "database");
  if (!caller.ok) return problem(c, caller.error);
  const { key, tenant } = caller.value.snapshot;
  const { id: keyId, expiresAt } = key;
  c.set("actor", { kind: "key", keyId, tenantId: tenant.id, expiresAt });
  return next();
});
