/**
 * The router as a client of registered servers: `/oauth/callback`, to which an authorization server sends a person back,
 * and the document in which it reads who the router is.
 */
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
    // Set afterwards, so that a refusal has these headers too.
    await next();
    // The address holds a code, which no other site may see and no cache may keep.
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
