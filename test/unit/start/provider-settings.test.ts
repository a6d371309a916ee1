/** Provider keys in the environment are validated by name. */
import { describe, expect, it } from "vitest";
import type { Admin } from "../../../src/start/admin.ts";
import { seedCredentials } from "../../../src/start/credentials.ts";
import { providerSettings } from "../../../src/start/provider-settings.ts";
import { ok } from "../../../src/domain/result.ts";

describe("a provider's variable", () => {
  it.each(["…", "sk-…", "sk-ant-...", "<your key>", "$KEY"])(
    "that holds the docs' placeholder %s is named, before anything starts",
    (pasted) => {
      expect(providerSettings({ ANTHROPIC_API_KEY: pasted })).toEqual({
        ok: false,
        error: "ANTHROPIC_API_KEY: This is a placeholder for a key. Replace it with your own key.",
      });
    },
  );

  it("that holds a line end is named", () => {
    const read = providerSettings({ OPENAI_API_KEY: "sk-a\nb" });
    expect(read.ok ? null : read.error).toMatch(/^OPENAI_API_KEY: A key is visible ASCII/);
  });

  it("that is empty counts as unset", () => {
    expect(providerSettings({ OPENAI_API_KEY: " ", GEMINI_API_KEY: "" })).toEqual(ok([]));
  });
});

describe("a credential that the router refuses", () => {
  it.each([
    ["baseUrl", "Only https is called.", "OPENAI_BASE_URL: Only https is called."],
    ["apiKey", "A key is visible ASCII.", "OPENAI_API_KEY: A key is visible ASCII."],
  ])("by its %s names the variable behind it", async (path, sentence, expected) => {
    const admin: Admin = {
      call: async () => ({
        status: 400,
        text: JSON.stringify({ path, detail: `Invalid params: ${path}: ${sentence}` }),
      }),
      list: async () => ok([]),
    };
    const wanted = { name: "OPENAI_API_KEY", provider: "openai", apiKey: "k", baseUrl: "http://x" };
    const seeded = await seedCredentials(admin, {
      tenant: "demo",
      wanted: [{ ...wanted, models: null }],
      known: {},
      masterKey: "m",
      warn: () => {},
    });
    expect(seeded).toEqual({ ok: false, error: expected });
  });
});
