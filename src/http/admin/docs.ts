/** The API reference as one static page made from the OpenAPI document, without scripts or a CDN. */
import { html, raw } from "hono/html";
import { isObject, own } from "../../domain/json.ts";

const methods = ["get", "post", "put", "patch", "delete"];

const style = `
  :root { color-scheme: light dark; font: 15px/1.55 system-ui, sans-serif; }
  body { max-width: 60rem; margin: 3rem auto; padding: 0 1.5rem; }
  h1 { font-size: 1.6rem } h2 { font-size: 1.1rem; margin: 2.5rem 0 .5rem; }
  details { border: 1px solid color-mix(in srgb, currentColor 20%, transparent);
    border-radius: 8px; margin: .4rem 0; padding: .5rem .8rem; }
  summary { cursor: pointer; display: flex; gap: .8rem; align-items: baseline; flex-wrap: wrap; }
  code, pre { font: 13px/1.5 ui-monospace, monospace; }
  .method { font: 600 12px ui-monospace, monospace; text-transform: uppercase; width: 3.6rem; }
  .says { opacity: .7; margin-left: auto; }
  pre { overflow-x: auto; padding: .8rem; border-radius: 6px;
    background: color-mix(in srgb, currentColor 6%, transparent); }`;

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
        <h1>${text(own(info, "title"))}</h1>
        <p>${text(own(info, "description"))}</p>
        <p><a href="openapi.json">openapi.json</a></p>
        ${[...groups].map(
          ([tag, operations]) =>
            html`<h2>${tag}</h2>
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
      </body>
    </html>`;
}
