/**
 * `npm run console:types`, and the first step of `npm run check`: writes the types of the admin API, which the console's types are
 * checked with, from the OpenAPI document. The file is not committed, and is written only if the document changed.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { openApiDocument } from "../fakes/openapi-document.ts";

const file = join(import.meta.dirname, "..", "..", "src", "console", "api-types.d.ts");

const document = await openApiDocument();
const head = `// ${createHash("sha256").update(JSON.stringify(document)).digest("hex")}`;
const isCurrent = existsSync(file) && readFileSync(file, "utf8").startsWith(head);
if (!isCurrent) {
  // Not at the top: loading the package takes a second.
  const { default: openapiTS, astToString } = await import("openapi-typescript");
  const types = astToString(await openapiTS(document as Parameters<typeof openapiTS>[0]));
  const written = `${file}.${process.pid}`;
  writeFileSync(written, `${head}\n${types}`);
  renameSync(written, file);
}
