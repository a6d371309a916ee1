/**
 * `npm run console:types`: writes the types of the API, which the console is compiled with, from the OpenAPI document.
 * `test/unit/console/api-types.test.ts` says when they are old.
 */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { openApiDocument } from "../fakes/openapi-document.ts";

export const typesFile = join(import.meta.dirname, "..", "..", "src", "console", "api-types.d.ts");

export const hashOf = (document: unknown): string =>
  createHash("sha256").update(JSON.stringify(document)).digest("hex");

export const headOf = (document: unknown): string =>
  `// Made by \`npm run console:types\` of the OpenAPI document ${hashOf(document)}`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { default: openapiTS, astToString } = await import("openapi-typescript");
  const document = await openApiDocument();
  const types = astToString(await openapiTS(document as Parameters<typeof openapiTS>[0]));
  writeFileSync(typesFile, `${headOf(document)}\n${types}`);
}
