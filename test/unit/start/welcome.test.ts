import { expect, it } from "vitest";
import { parseSettings } from "../../../src/start/settings.ts";
import { welcome } from "../../../src/start/welcome.ts";

/** The line `OAuth` of what a start prints with such a PUBLIC_URL. */
function oauthLine(publicUrl: string): string | undefined {
  const settings = parseSettings({ PUBLIC_URL: publicUrl });
  if (!settings.ok) throw new Error(settings.error);
  const text = welcome({
    at: settings.value,
    key: "srk_key",
    scopes: ["sampling"],
    adminToken: null,
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
