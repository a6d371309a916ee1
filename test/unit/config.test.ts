import { describe, expect, it } from "vitest";
import { defaultCatalogueUrl, parseConfig } from "../../src/config.ts";

const needed = {
  DATABASE_URL: "http://database.test",
  MASTER_KEY: Buffer.alloc(32).toString("base64"),
  ADMIN_TOKEN: "an operator's token",
};

describe("CATALOGUE_URL", () => {
  it.each([
    [undefined, defaultCatalogueUrl],
    ["", null],
    ["http://127.0.0.1:1/api.json", "http://127.0.0.1:1/api.json"],
  ])("%j is %j", (given, url) => {
    const env = given === undefined ? needed : { ...needed, CATALOGUE_URL: given };
    expect(parseConfig(env)).toMatchObject({ ok: true, value: { catalogueUrl: url } });
  });

  it.each(["models.dev/api.json", "file:///etc/passwd", "off"])("%j is a fault", (given) => {
    expect(parseConfig({ ...needed, CATALOGUE_URL: given })).toMatchObject({
      ok: false,
      error: { setting: "CATALOGUE_URL" },
    });
  });
});
