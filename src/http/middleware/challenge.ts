/** Tells unauthorized clients how to get an access token (RFC 9728). */
import type { MiddlewareHandler } from "hono";
import type { HttpEnv } from "../context.ts";
import { bearerOf } from "../../domain/tenancy/access.ts";
import type { OauthResource } from "../../domain/tenancy/oauth-resources.ts";

/** Access tokens require a path with a tenant. */
export const challengeUnauthenticated =
  (kind: Exclude<OauthResource["kind"], "server">): MiddlewareHandler<HttpEnv> =>
  async (c, next) => {
    const tenant = c.req.param("tenant");
    await next();
    if (tenant === undefined || c.res.status !== 401) return;
    const challenge = await c.get("services").oauth.challenges.challenge({
      resource: { kind, tenant },
      token: bearerOf(c.req.header("Authorization")),
      refusal: { reason: "unauthorized", detail: "" },
    });
    if (challenge !== null) c.res.headers.set("WWW-Authenticate", challenge);
  };
