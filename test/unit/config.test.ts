/** Invalid settings are reported by name, and valid ones have documented defaults. */
import { describe, expect, it } from "vitest";
import { parseSettings } from "../../src/start/settings.ts";
import { defaultCatalogueUrl, parseConfig, tenantDatabaseBytesOf } from "../../src/config.ts";

const needed = {
  DATABASE_URL: "http://database.test",
  MASTER_KEY: Buffer.alloc(32).toString("base64"),
  ADMIN_TOKEN: "an operator's token",
};

describe("CATALOGUE_URL", () => {
  it.each([
    [undefined, defaultCatalogueUrl],
    ["", defaultCatalogueUrl],
    ["off", null],
    ["http://127.0.0.1:1/api.json", "http://127.0.0.1:1/api.json"],
  ])("%j is %j", (given, url) => {
    const env = given === undefined ? needed : { ...needed, CATALOGUE_URL: given };
    expect(parseConfig(env)).toMatchObject({ ok: true, value: { catalogueUrl: url } });
  });

  it.each(["models.dev/api.json", "file:///etc/passwd", "OFF"])("%j is a fault", (given) => {
    expect(parseConfig({ ...needed, CATALOGUE_URL: given })).toMatchObject({
      ok: false,
      error: { setting: "CATALOGUE_URL" },
    });
  });
});

it("npm start syncs the catalogue as a deployment does, and CATALOGUE_URL=off turns that off", () => {
  const passed = (env: Record<string, string>) => {
    const settings = parseSettings(env);
    if (!settings.ok) throw new Error(settings.error);
    return parseConfig({ ...needed, ...settings.value.passedOn });
  };
  expect(passed({})).toMatchObject({ ok: true, value: { catalogueUrl: defaultCatalogueUrl } });
  expect(passed({ CATALOGUE_URL: "off" })).toMatchObject({
    ok: true,
    value: { catalogueUrl: null },
  });
});

describe("PUBLIC_URL", () => {
  it.each([
    [undefined, []],
    ["https://router.example/", ["https://router.example"]],
    [
      "https://router.example/mcp, http://10.0.0.1:8787",
      ["https://router.example", "http://10.0.0.1:8787"],
    ],
  ])("%j names the origins %j", (given, origins) => {
    const env = given === undefined ? needed : { ...needed, PUBLIC_URL: given };
    expect(parseConfig(env)).toMatchObject({ ok: true, value: { publicOrigins: origins } });
  });

  it("keeps the path that a gateway puts before the router", () => {
    const env = {
      ...needed,
      PUBLIC_URL: "https://gateway.example/ai/router/, http://10.0.0.1:8787",
    };
    expect(parseConfig(env)).toMatchObject({
      value: { publicUrls: ["https://gateway.example/ai/router", "http://10.0.0.1:8787"] },
    });
  });

  it("is a fault where it is no URL", () => {
    expect(parseConfig({ ...needed, PUBLIC_URL: "router.example" })).toMatchObject({
      ok: false,
      error: { setting: "PUBLIC_URL" },
    });
  });
});

describe("SESSIONS_PER_KEY and INITIALIZE_PER_MINUTE", () => {
  it("bound a key's sessions, with room for thousands of users unless set", () => {
    expect(parseConfig(needed)).toMatchObject({
      ok: true,
      value: { sessionLimits: { perKey: 10_000, initializePerMinute: 600 } },
    });
    const env = { ...needed, SESSIONS_PER_KEY: "7", INITIALIZE_PER_MINUTE: "" };
    expect(parseConfig(env)).toMatchObject({
      ok: true,
      value: { sessionLimits: { perKey: 7, initializePerMinute: 600 } },
    });
  });

  it.each(["SESSIONS_PER_KEY", "INITIALIZE_PER_MINUTE"])("%s is a whole number", (setting) => {
    for (const given of ["0", "-1", "1.5", "many", "1e9"])
      expect(parseConfig({ ...needed, [setting]: given })).toMatchObject({
        ok: false,
        error: { setting },
      });
  });
});

describe("TENANT_DATABASE_MB", () => {
  it.each([
    [undefined, 10_000_000_000],
    ["", 10_000_000_000],
    ["250", 250_000_000],
  ])("%j is %j bytes", (text, bytes) => {
    const env = text === undefined ? {} : { TENANT_DATABASE_MB: text };
    expect(tenantDatabaseBytesOf(env)).toEqual({ ok: true, value: bytes });
  });

  it.each(["0", "1.5", "-1", "much"])("%j is a fault", (text) => {
    expect(parseConfig({ ...needed, TENANT_DATABASE_MB: text })).toMatchObject({
      ok: false,
      error: { setting: "TENANT_DATABASE_MB" },
    });
  });
});

describe("STREAM_SILENCE_SECONDS", () => {
  it.each([
    [undefined, null],
    ["", null],
    ["1", 1_000],
    ["3600", 3_600_000],
  ])("%j is %j ms", (given, streamSilenceMs) => {
    const env = given === undefined ? needed : { ...needed, STREAM_SILENCE_SECONDS: given };
    expect(parseConfig(env)).toMatchObject({ ok: true, value: { streamSilenceMs } });
  });

  it.each(["0", "3601", "long"])("%j is a fault", (given) => {
    expect(parseConfig({ ...needed, STREAM_SILENCE_SECONDS: given })).toMatchObject({
      ok: false,
      error: { setting: "STREAM_SILENCE_SECONDS" },
    });
  });
});

describe("PARKED_SECONDS", () => {
  it.each([
    [undefined, 300_000],
    ["1", 1_000],
    ["3600", 3_600_000],
  ])("%j is %j ms", (given, parkedMs) => {
    const env = given === undefined ? needed : { ...needed, PARKED_SECONDS: given };
    expect(parseConfig(env)).toMatchObject({ ok: true, value: { parkedMs } });
  });

  it.each(["0", "3601", "long"])("%j is a fault", (given) => {
    expect(parseConfig({ ...needed, PARKED_SECONDS: given })).toMatchObject({
      ok: false,
      error: { setting: "PARKED_SECONDS" },
    });
  });
});

describe("ROLLOUT_SECONDS", () => {
  it.each([
    [undefined, 600_000],
    ["", 600_000],
    ["0", 0],
    ["30", 30_000],
  ])("%j is %j ms", (given, rolloutMs) => {
    const env = given === undefined ? needed : { ...needed, ROLLOUT_SECONDS: given };
    expect(parseConfig(env)).toMatchObject({ ok: true, value: { rolloutMs } });
  });

  it.each(["-1", "86401", "soon"])("%j is a fault", (given) => {
    expect(parseConfig({ ...needed, ROLLOUT_SECONDS: given })).toMatchObject({
      ok: false,
      error: { setting: "ROLLOUT_SECONDS" },
    });
  });

  it("is 0 for the embedded database, which one process alone can hold", () => {
    const rolloutOf = (env: Record<string, string>) => {
      const settings = parseSettings(env);
      return settings.ok ? settings.value.passedOn["ROLLOUT_SECONDS"] : settings.error;
    };
    expect(rolloutOf({})).toBe("0");
    expect(rolloutOf({ ROLLOUT_SECONDS: "5" })).toBe("5");
    expect(rolloutOf({ DATABASE_URL: "http://database.test" })).toBeUndefined();
  });
});

describe("AUDIT_WITNESS_URL", () => {
  it.each([
    [undefined, null],
    ["", null],
    ["https://witness.example/heads?key=x", "https://witness.example/heads?key=x"],
    ["http://127.0.0.1:9999/", "http://127.0.0.1:9999/"],
    ["http://localhost:9999/", "http://localhost:9999/"],
  ])("%j is %j", (given, url) => {
    const env = given === undefined ? needed : { ...needed, AUDIT_WITNESS_URL: given };
    expect(parseConfig(env)).toMatchObject({ ok: true, value: { witnessUrl: url } });
  });

  it.each([
    "witness.example",
    "http://witness.example/",
    "https://user:secret@witness.example/",
    "https://10.0.0.1/",
    "https://witness.example/#x",
  ])("%j is a fault", (given) => {
    const parsed = parseConfig({ ...needed, AUDIT_WITNESS_URL: given });
    expect(parsed).toMatchObject({ ok: false, error: { setting: "AUDIT_WITNESS_URL" } });
    expect(JSON.stringify(parsed)).not.toContain("secret");
  });
});
