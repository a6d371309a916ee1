/** `/oauth/callback`: where an authorization server sends a person back to. */
import { Hono } from "hono";
import type { HttpEnv } from "./context.ts";
import { problem } from "./problem.ts";

const page = (server: string): string =>
  `<!doctype html><meta charset="utf-8"><title>Sampling Router</title><p>The router may now use the server <b>${server}</b>. You can close this page.</p>`;

export function oauthRoutes() {
  const app = new Hono<HttpEnv>();
  app.get("/callback", async (c) => {
    // The address holds a code; it goes into no history of another site and no cache.
    c.header("Cache-Control", "no-store");
    c.header("Referrer-Policy", "no-referrer");
    c.header("Content-Security-Policy", "default-src 'none'");
    const done = await c
      .get("services")
      .admin.authorizations.finish(new URL(c.req.url).searchParams.toString());
    // A slug has letters, digits and hyphens only.
    return done.ok ? c.html(page(done.value.server)) : problem(c, done.error);
  });
  return app;
}
