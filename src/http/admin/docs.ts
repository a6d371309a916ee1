/** The API reference as one static page made from the OpenAPI document, without scripts or a CDN. */
import { html, raw } from "hono/html";
import { isObject, own } from "../../domain/json.ts";

const methods = ["get", "post", "put", "patch", "delete"];

// Colors and sizes of the console's styles.
const style = `
  :root { color-scheme: light dark; --ground: light-dark(#f7f7f4, #15181a);
    --raised: light-dark(#ffffff, #1c2023); --sunk: light-dark(#efefea, #111315);
    --line: light-dark(#dcdcd4, #30363a); --ink: light-dark(#1d2022, #e6e8e6);
    --ink-faint: light-dark(#5c6164, #a3abad); --accent: light-dark(#1f6350, #7ecbb2);
    font: 14px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", sans-serif; }
  * { box-sizing: border-box; }
  body { margin: 0; background: var(--ground); color: var(--ink); }
  header { display: flex; gap: 1rem; padding: .9rem 1.75rem; border-bottom: 1px solid var(--line); background: var(--raised); }
  header strong { margin-right: auto; }
  main { max-width: 84rem; padding: .75rem 1.75rem 4rem; }
  a { color: var(--accent); text-underline-offset: .15em; }
  h1 { font-size: 1.5rem; letter-spacing: -.01em } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
  nav { columns: 14rem; } nav a { display: block; padding: .2rem 0; }
  details { border: 1px solid var(--line); border-radius: 6px; margin: .4rem 0; padding: .5rem .8rem; background: var(--raised); }
  summary { cursor: pointer; display: flex; gap: .8rem; align-items: baseline; flex-wrap: wrap; overflow-wrap: anywhere; }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
  code, pre, .method { font: 12.6px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
  .method { color: var(--accent); font-weight: 600; text-transform: uppercase; width: 3.6rem; }
  .says { color: var(--ink-faint); margin-left: auto; }
  pre { overflow-x: auto; padding: .8rem; border-radius: 6px; background: var(--sunk); }`;

const text = (value: unknown): string => (typeof value === "string" ? value : "");

function bodyOf(operation: unknown, schemas: unknown): string {
  const content = own(own(own(operation, "requestBody"), "content"), "application/json");
  const schema = own(content, "schema");
  const reference = text(own(schema, "$ref")).split("/").at(-1) ?? "";
  const shown = own(schemas, reference) ?? schema;
  return shown === undefined ? "" : JSON.stringify(shown, null, 2);
}

function answersOf(operation: unknown): string {
  const responses = own(operation, "responses");
  if (!isObject(responses)) return "";
  return Object.entries(responses)
    .map(([status, response]) => {
      const content = own(response, "content");
      const [schema] = isObject(content) ? Object.values(content) : [];
      const name =
        text(own(own(schema, "schema"), "$ref"))
          .split("/")
          .at(-1) ?? "";
      return `${status} ${text(own(response, "description"))}${name === "" ? "" : ` → ${name}`}`;
    })
    .join("\n");
}

function operationsByTag(document: unknown, schemas: unknown): Map<string, unknown[]> {
  const paths = own(document, "paths");
  const groups = new Map<string, unknown[]>();
  for (const [path, item] of Object.entries(isObject(paths) ? paths : {}))
    for (const method of methods) {
      const operation = own(item, method);
      if (operation === undefined) continue;
      const tags = own(operation, "tags");
      const tag = Array.isArray(tags) ? text(tags[0]) : "";
      const body = bodyOf(operation, schemas);
      groups.set(tag, [
        ...(groups.get(tag) ?? []),
        html`<details>
          <summary>
            <span class="method">${method}</span><code>${path}</code
            ><span class="says">${text(own(operation, "summary"))}</span>
          </summary>
          <p>${text(own(operation, "description"))}</p>
          ${
            body === ""
              ? ""
              : html`<p>Body</p>
                  <pre>${body}</pre>`
          }
          <p>Answers</p>
          <pre>${answersOf(operation)}</pre>
        </details>`,
      ]);
    }
  return groups;
}

const idOf = (tag: string): string => tag.toLowerCase().replaceAll(" ", "-");

export function docsPage(document: unknown) {
  const schemas = own(own(document, "components"), "schemas");
  const groups = operationsByTag(document, schemas);
  const info = own(document, "info");
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${text(own(info, "title"))}</title>
        <style>
          ${raw(style)}
        </style>
      </head>
      <body>
        <header>
          <strong>Sampling Router</strong><a href="../../console">Console</a>
          <a href="openapi.json">openapi.json</a>
        </header>
        <main>
          <h1>${text(own(info, "title"))}</h1>
          <p>${text(own(info, "description"))}</p>
          <nav aria-label="Sections">
            ${[...groups.keys()].map((tag) => html`<a href="#${idOf(tag)}">${tag}</a>`)}
          </nav>
          ${[...groups].map(
            ([tag, operations]) =>
              html`<h2 id="${idOf(tag)}">${tag}</h2>
                ${operations}`,
          )}
          <h2>Schemas</h2>
          ${Object.entries(isObject(schemas) ? schemas : {}).map(
            ([name, schema]) =>
              html`<details>
                <summary><code>${name}</code></summary>
                <pre>${JSON.stringify(schema, null, 2)}</pre>
              </details>`,
          )}
        </main>
      </body>
    </html>`;
}
