/** Example keys from documentation are recognized as placeholders. */
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { isPlaceholder, problemWithKey } from "../../../src/domain/tenancy/placeholders.ts";

describe("a placeholder", () => {
  it.each([
    "…",
    "...",
    "<your key>",
    "<API_KEY>",
    "[key]",
    "{{key}}",
    "$OPENAI_API_KEY",
    "${OPENAI_API_KEY}",
    "%OPENAI_API_KEY%",
    "YOUR_API_KEY",
    "your-api-key",
    "your key here",
    "insert-key-here",
    "xxx",
    "XXXXXXXX",
    "***",
    "changeme",
    "change-me",
    "sk-...",
    "sk-…",
    "sk-xxxx",
    "sk-ant-***",
    "sk-proj-...",
    "srk_…",
  ])("is %s, and no key", (text) => {
    expect(isPlaceholder(text)).toBe(true);
    expect(problemWithKey(text)).toContain("placeholder");
  });

  it.each([
    "",
    "none",
    "ollama",
    "k",
    "x",
    "xx",
    "sk-1",
    "provider-key",
    "todo-list-9f2c",
    "AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY",
  ])("is not %j", (text) => expect(problemWithKey(text)).toBeNull());

  it("is no random key of any provider's form", () => {
    for (const prefix of ["sk-", "sk-ant-api03-", "sk-proj-", "gsk_", "xai-", ""])
      for (let turn = 0; turn < 200; turn += 1)
        expect(problemWithKey(`${prefix}${randomBytes(24).toString("base64url")}a1`)).toBeNull();
  });
});

it.each(["sk-1\n", " sk-1", "sk 1", "sk-1\u00e9", '"sk-1"\r'])(
  "a key that no header carries is refused: %j",
  (key) => {
    expect(problemWithKey(key)).toContain("visible ASCII");
  },
);
