/** The router as an OAuth client: `/oauth/callback` and its client metadata document. */
import { Hono } from "hono";
import {
  callbackPath,
  clientDescription,
  clientDescriptionPath,
} from "../domain/servers/client-description.ts";
import { ownOriginOf } from "../domain/servers/own-origin.ts";
import { connectedPage } from "./authorization/connect-page.ts";
import { askedAt, ownUrlAt, type HttpEnv } from "./context.ts";
import { protectPage } from "./page.ts";
import { problem } from "./problem.ts";
import { takeCookie } from "./session-cookie.ts";

export function oauthRoutes() {
  const app = new Hono<HttpEnv>();
  app.use("/callback", async (c, next) => {
    // After `next`, so that refusals have these headers too.
    await next();
    // The address contains a code.
    c.res.headers.set("Cache-Control", "no-store");
    c.res.headers.set("Referrer-Policy", "no-referrer");
    protectPage(c.res.headers, "none");
  });
  app.get(clientDescriptionPath.replace("/oauth", ""), (c) => {
    const url = ownUrlAt(c);
    if (url === null) return problem(c, { reason: "not_found", what: "PUBLIC_URL" });
    c.header("Cache-Control", "public, max-age=3600");
    return c.json({
      client_id: `${url}${clientDescriptionPath}`,
      client_uri: url,
      ...clientDescription(`${url}${callbackPath}`),
      token_endpoint_auth_method: "none",
    });
  });
  app.get("/callback", async (c) => {
    const { searchParams: query } = new URL(c.req.url);
    const origin = ownOriginOf(askedAt(c));
    const browser = origin === null ? null : takeCookie(c, "connect", origin);
    const done = await c
      .get("services")
      .oauth.finishAuthorization({ query, browser: browser ?? "" });
    return done.ok ? c.html(connectedPage(done.value)) : problem(c, done.error);
  });
  return app;
}
