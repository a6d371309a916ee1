/** A start listens on loopback alone unless it is configured otherwise. */
import { describe, expect, it } from "vitest";
import { parseSettings } from "../../../src/start/settings.ts";

const settingsOf = (env: Record<string, string>) => {
  const settings = parseSettings(env);
  return settings.ok ? settings.value : settings.error;
};
const allows = (env: Record<string, string>) => {
  const settings = settingsOf(env);
  return typeof settings === "string" ? settings : settings.passedOn["ALLOW_PRIVATE_UPSTREAMS"];
};

describe("ALLOW_PRIVATE_UPSTREAMS", () => {
  it.each([
    [{}, "true"],
    [{ HOST: "localhost" }, "true"],
    [{ HOST: "::1" }, "true"],
    [{ HOST: "0.0.0.0" }, "false"],
    [{ HOST: "::" }, "false"],
    [{ HOST: "192.168.0.7" }, "false"],
    [{ PUBLIC_URL: "https://router.example" }, "false"],
    [{ PUBLIC_URL: "" }, "true"],
    [{ HOST: "0.0.0.0", ALLOW_PRIVATE_UPSTREAMS: "true" }, "true"],
    [{ ALLOW_PRIVATE_UPSTREAMS: "false" }, "false"],
  ])("with %j is %s", (env, expected) => {
    expect(allows(env)).toBe(expected);
  });
});

describe("how a start listens, logs and ends", () => {
  it("is on this machine alone, in the format of its terminal, with 30 s to end, unless set", () => {
    expect(settingsOf({})).toMatchObject({
      host: "127.0.0.1",
      port: 8787,
      urlHost: "127.0.0.1",
      logFormat: null,
      drainSeconds: 30,
    });
  });

  it.each([
    ["0.0.0.0", "127.0.0.1"],
    ["::", "[::1]"],
    ["::1", "[::1]"],
    ["router.internal", "router.internal"],
  ])("HOST %s is reached at %s", (HOST, urlHost) => {
    expect(settingsOf({ HOST })).toMatchObject({ host: HOST, urlHost });
  });

  it.each([
    [{ HOST: "http://x" }, /^HOST must be/],
    [{ PORT: "0" }, /^PORT must be/],
    [{ LOG_FORMAT: "xml" }, /^LOG_FORMAT must be json or pretty/],
    [{ DRAIN_SECONDS: "soon" }, /^DRAIN_SECONDS must be/],
    [{ DRAIN_SECONDS: "3601" }, /^DRAIN_SECONDS must be/],
    [{ TRUSTED_PROXIES: "proxy.example" }, /^TRUSTED_PROXIES must be/],
    [{ ALLOW_PRIVATE_UPSTREAMS: "yes" }, /^ALLOW_PRIVATE_UPSTREAMS must be/],
    [{ DATABASE_URL: "file:x.db" }, /^DATABASE_URL must be.*leave it unset/],
  ])("%j is a fault", (env: Record<string, string>, fault) => {
    expect(settingsOf(env)).toMatch(fault);
  });
});
