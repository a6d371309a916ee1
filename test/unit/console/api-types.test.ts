import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { openApiDocument } from "../../fakes/openapi-document.ts";
import { headOf, typesFile } from "../../setup/console-types.ts";

it("compiles the console with the types of today's API; `npm run console:types` writes them", async () => {
  const [head] = readFileSync(typesFile, "utf8").split("\n");
  expect(head).toBe(headOf(await openApiDocument()));
});
