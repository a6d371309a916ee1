/** `/oauth/callback`: the address to which an authorization server sends a person back. */
import { Hono } from "hono";
import type { HttpEnv } from "./context.ts";
import { protectPage } from "./page.ts";
import { problem } from "./problem.ts";

const page = (server: string): string =>
  `<!doctype html><meta charset="utf-8"><title>Sampling Router</title><p>The router may now use the server <b>${server}</b>. You can close this page.</p>`;

export function oauthRoutes() {
  const app = new Hono<HttpEnv>();
  app.use(async (c, next) => {
    // Set afterwards, so that a refusal has these headers too.
    await next();
    // The address holds a code, which no other site may see and no cache may keep.
    c.res.headers.set("Cache-Control", "no-store");
    c.res.headers.set("Referrer-Policy", "no-referrer");
    protectPage(c.res.headers, "none");
  });
  app.get("/callback", async (c) => {
    const { searchParams } = new URL(c.req.url);
    const done = await c.get("services").oauth.finishAuthorization(searchParams);
    // Needs no escaping: a slug has letters, digits and hyphens only.
    return done.ok ? c.html(page(done.value.server)) : problem(c, done.error);
  });
  return app;
}
