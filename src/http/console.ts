/** The console: one page for every address below `/console`, and its files. */
import { Hono, type Context } from "hono";
import { html } from "hono/html";
import { isObject, type JsonObject } from "../domain/json.ts";
import type { ConsoleFiles } from "../domain/ports/console-files.ts";
import { shownSession } from "./console-session.ts";
import type { HttpEnv } from "./context.ts";
import { protectApplication, protectPage } from "./page.ts";
import { problem } from "./problem.ts";
import { signInPlaces } from "../pipeline/people/person-sign-in.ts";
import { sessionOf } from "./session-guard.ts";
import { slugPattern } from "./single-sign-on.ts";

const mediaTypes: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};
/** File names contain a content hash. */
const forever = "public, max-age=31536000, immutable";

interface Manifest {
  script: string;
  pages: JsonObject;
}

async function manifestOf(files: ConsoleFiles): Promise<Manifest | null> {
  const bytes = await files.read("manifest.json");
  if (bytes === null) return null;
  const manifest: unknown = JSON.parse(new TextDecoder().decode(bytes));
  if (!isObject(manifest)) return null;
  const { script, pages } = manifest;
  return typeof script === "string" && isObject(pages) ? { script, pages } : null;
}

/** Relative, since a gateway may add a prefix. */
export function wayToAssets(path: string): string {
  const below = path.slice(path.indexOf("/console") + "/console".length);
  const depth = below.split("/").length - 1;
  return depth === 0 ? "console/assets/" : `${"../".repeat(depth - 1)}assets/`;
}

/** `/t/<tenant>/keys` is `keys`; a record below `/requests` is `request`. */
export function pageNamedBy(path: string): string {
  const below = path.slice(path.indexOf("/console") + "/console".length);
  const [first = "", tenant, page = "overview", one] = below
    .split("/")
    .filter((part) => part !== "");
  if (first !== "t" || tenant === undefined) return first;
  return one === undefined ? page : page.replace(/s$/, "");
}

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%232f6f5e'/%3E%3Cpath d='M3 8h4l3-4m-3 4 3 4' stroke='%23fff' stroke-width='1.6' fill='none'/%3E%3C/svg%3E";

/** A sign-in link has `tenant` in its query. */
async function signInPlacesFor(c: Context<HttpEnv>): Promise<string> {
  const slug = slugPattern.exec(c.req.query("tenant") ?? "")?.[0] ?? null;
  const signIn = await c.get("services").console.personSignInOf(slug);
  return (signIn.ok ? await signIn.value.offered(slug) : signInPlaces).join(" ");
}

interface PageOptions {
  /** absent with a session */
  signIn?: string;
  way: string;
  script: string;
  ahead: string | null;
  session: string | null;
}

const page = ({ way, script, ahead, session, signIn }: PageOptions) =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Sampling Router</title>
        <link rel="icon" href="${icon}" />
        ${ahead === null ? "" : html`<link rel="modulepreload" href="${way}${ahead}" />`}
        <script type="module" src="${way}${script}"></script>
      </head>
      <body>
        <noscript
          >The console needs JavaScript. Everything it does, the admin API does too.</noscript
        >
        <div
          id="console"
          data-session="${session ?? ""}"
          ${signIn === undefined ? "" : html`data-sign-in="${signIn}"`}
        ></div>
      </body>
    </html>`;

const notBuilt = html`<!doctype html>
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <title>Sampling Router</title>
    </head>
    <body>
      <h1>Sampling Router</h1>
      <p>The console was not built for this deployment. The admin API is at /admin/v1/docs.</p>
    </body>
  </html>`;

async function showPage(c: Context<HttpEnv>): Promise<Response> {
  const manifest = await manifestOf(c.get("services").consolePage.consoleFiles);
  if (manifest === null) {
    protectPage(c.res.headers, "none");
    return c.html(await notBuilt, 503);
  }
  const session = await sessionOf(c, c.get("services").console);
  protectApplication(c.res.headers);
  // Contains the session and file names that change with the version.
  c.header("Cache-Control", "no-store");
  const ahead = manifest.pages[pageNamedBy(c.req.path)];
  const options = {
    way: wayToAssets(c.req.path),
    script: manifest.script,
    ahead: typeof ahead === "string" ? ahead : null,
    // On failure the script asks and reports the error.
    session: session.ok ? JSON.stringify(shownSession(session.value)) : null,
    ...(!session.ok && { signIn: await signInPlacesFor(c) }),
  };
  return c.html(await page(options));
}

async function sendFile(c: Context<HttpEnv>): Promise<Response> {
  const name = c.req.param("name") ?? "";
  const type = mediaTypes[name.split(".").at(-1) ?? ""];
  const bytes =
    type === undefined ? null : await c.get("services").consolePage.consoleFiles.read(name);
  if (type === undefined || bytes === null)
    return problem(c, { reason: "not_found", what: "no such file" });
  // Not a page, if navigated to directly.
  protectPage(c.res.headers, "none");
  return c.body(bytes, 200, { "Content-Type": type, "Cache-Control": forever });
}

export const consoleRoutes = (): Hono<HttpEnv> =>
  new Hono<HttpEnv>()
    // Relative, like the files.
    .get("/", (c) => c.redirect("console"))
    .get("/console/assets/:name", sendFile)
    .get("/console", showPage)
    .get("/console/*", showPage);
