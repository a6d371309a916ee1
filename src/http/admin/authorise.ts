import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { bearerOf, type Actor } from "../../domain/tenancy/access.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { err, ok } from "../../domain/result.ts";
import { roleOf } from "../../domain/tenancy/scopes.ts";
import { type HttpEnv } from "../context.ts";
import { problem } from "../problem.ts";
import { sessionTokenOf } from "../session-cookie.ts";
import { sessionOf } from "../session-guard.ts";

export async function actorOf(c: Context<HttpEnv>): AsyncResult<Actor> {
  const { admin } = c.get("services");
  const header = c.req.header("Authorization");
  if (header === undefined && sessionTokenOf(c) !== null) {
    const session = await sessionOf(c, admin);
    return session.ok ? ok(session.value.actor) : session;
  }
  const token = bearerOf(header);
  if (token === null)
    return err({
      reason: "unauthorized",
      detail: "Send Authorization: Bearer <operator's token, or an API key with a role>.",
    });
  const operator = await admin.isOperator({ token, address: c.env.address?.() ?? "" });
  if (!operator.ok) return operator;
  if (operator.value) return ok({ kind: "operator" });
  const claim = { token, sessionId: null, scope: "role" } as const;
  const caller = await admin.authenticate(claim, "database");
  if (!caller.ok) return caller;
  const { key, tenant } = caller.value.snapshot;
  const { id: keyId, expiresAt, scopes } = key;
  const role = roleOf(scopes);
  if (role === null) return err({ reason: "forbidden", action: "this API key has no role" });
  return ok({ kind: "key", keyId, tenantId: tenant.id, role, expiresAt });
}

export const authorise = createMiddleware<HttpEnv>(async (c, next) => {
  const actor = await actorOf(c);
  if (!actor.ok) return problem(c, actor.error);
  c.set("actor", actor.value);
  return next();
});
