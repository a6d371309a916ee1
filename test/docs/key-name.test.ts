/** In commands, an API key has the name that `npm start` prints and that clients' configurations use. */
import { expect, it } from "vitest";
import { keyVariable } from "../../src/domain/servers/install.ts";
import { exportLine } from "../../src/start/welcome.ts";
import { pages } from "./pages.ts";

it("is printed at the start", () => {
  expect(exportLine("srk_key", null)).toBe(`export ${keyVariable}=srk_key`);
});

it.each(pages.map(({ path, text }) => [path, text]))("is the only one in %s", (_, text) => {
  expect(text).not.toMatch(/(?:\$\{?|process\.env\.|export )KEY\b/);
});
