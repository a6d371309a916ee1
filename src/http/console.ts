/** The console's place: for now a plain page that says where things are. */
import { Hono } from "hono";
import { html } from "hono/html";
import type { HttpEnv } from "./context.ts";
import { protectPage } from "./page.ts";

const page = html`<!doctype html>
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>Sampling Router</title>
      <style>
        :root {
          color-scheme: light dark;
          font:
            16px/1.6 system-ui,
            sans-serif;
        }
        body {
          max-width: 42rem;
          margin: 4rem auto;
          padding: 0 1.5rem;
        }
        h1 {
          font-size: 1.6rem;
          margin-bottom: 0.25rem;
        }
        p.lead {
          opacity: 0.75;
          margin-top: 0;
        }
        dt {
          font-family: ui-monospace, monospace;
          margin-top: 1rem;
        }
        dd {
          margin: 0;
          opacity: 0.85;
        }
      </style>
    </head>
    <body>
      <h1>Sampling Router</h1>
      <p class="lead">Give every MCP server a model without giving it a key.</p>
      <dl>
        <dt>POST /v1/sampling</dt>
        <dd>MCP over Streamable HTTP: initialize, then sampling/createMessage.</dd>
        <dt>POST /v1/route</dt>
        <dd>The choice for a request, explained, without calling anyone.</dd>
        <dt><a href="/admin/v1/docs">/admin/v1</a></dt>
        <dd>Tenants, keys, credentials, models, policy, sessions, audit records.</dd>
        <dt><a href="/health/ready">/health/ready</a></dt>
        <dd>Whether the database answers and has every migration.</dd>
      </dl>
    </body>
  </html>`;

export const consoleRoutes = (): Hono<HttpEnv> =>
  new Hono<HttpEnv>()
    .get("/", (c) => c.redirect("/console"))
    .get("/console", async (c) => {
      protectPage(c.res.headers, "inline");
      return c.html(await page);
    });
