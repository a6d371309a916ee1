/** The first lines of a start depend on the setting `DEMO`. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseSettings } from "../../../src/start/settings.ts";
import { welcome, type Welcome } from "../../../src/start/welcome.ts";

/** The line `OAuth` of what a start prints with such a PUBLIC_URL. */
function oauthLine(publicUrl: string): string | undefined {
  const settings = parseSettings({ PUBLIC_URL: publicUrl });
  if (!settings.ok) throw new Error(settings.error);
  const text = welcome({
    at: settings.value,
    key: "srk_key",
    scopes: ["sampling"],
    adminToken: null,
    isDemo: true,
    stateDir: "state",
    database: "embedded",
    providers: ["demo"],
    issuer: settings.value.issuer,
    startedMs: 500,
  });
  return /^ {2}OAuth +(.*)$/m.exec(text)?.[1];
}

it.each([
  ["https://router.example", "tokens of https://router.example"],
  ["http://127.0.0.1:8787", "tokens of http://127.0.0.1:8787"],
  ["", "off: PUBLIC_URL is not set; programs send API keys"],
  ["https://router.example/below", "off: PUBLIC_URL has a path; programs send API keys"],
  ["http://router.example", "off: PUBLIC_URL has no https; programs send API keys"],
])("a start with PUBLIC_URL=%s says of OAuth: %s", (publicUrl, said) => {
  expect(oauthLine(publicUrl)).toBe(said);
});

const facts = (env: Record<string, string>): Welcome => {
  const settings = parseSettings(env);
  if (!settings.ok) throw new Error(settings.error);
  return {
    at: settings.value,
    key: null,
    scopes: [],
    adminToken: "sra_secret",
    isDemo: settings.value.isDemo,
    stateDir: "/state",
    database: "embedded",
    providers: [],
    issuer: settings.value.issuer,
    startedMs: 500,
  };
};

it.each([{ PUBLIC_URL: "https://router.example" }, { HOST: "0.0.0.0" }, { DEMO: "false" }])(
  "a start with %j shows no secret, and says where the operator's token is",
  (env) => {
    const text = welcome(facts(env));
    expect(text).not.toContain("sra_secret");
    expect(text).toContain(`"adminToken" in ${join("/state", "secrets.json")}`);
    expect(text).not.toContain("export ROUTER_KEY");
  },
);

it.each([{}, { PUBLIC_URL: "https://router.example", DEMO: "true" }])(
  "a start with %j shows the token, the key and lines to paste",
  (env) => {
    const text = welcome({ ...facts(env), key: "srk_key", scopes: ["sampling"] });
    expect(text).toContain("export ROUTER_KEY=srk_key ADMIN_TOKEN=sra_secret");
  },
);

it("DEMO is true or false", () => {
  expect(parseSettings({ DEMO: "yes" })).toMatchObject({
    ok: false,
    error: "DEMO must be true or false",
  });
});
