/** Secrets are masked wherever they occur, in time proportional to the text. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maskSecrets, maskValue } from "../../../src/domain/audit/masking.ts";

const long = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7";
const pem = (label: string): string =>
  `-----BEGIN ${label}-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQ==\n-----END ${label}-----`;

/** A text, and the secret that must not be left in it. */
const secrets: Record<string, string> = {
  "one of our keys": `srk_01k9z3x8abcdefghjkmnpqrstv_${"A".repeat(43)}`,
  "a cookie of a console session": `srs_01k9z3x8abcdefghjkmnpqrstv_${"A".repeat(43)}`,
  "an access token": `ten_01k9z3x8abcdefghjkmnpqrstv.key_01k9z3x8abcdefghjkmnpqrstv:${"g".repeat(16)}:${"A".repeat(32)}`,
  "a cookie of a person's page": `ten_01k9z3x8abcdefghjkmnpqrstv.key_01k9z3x8abcdefghjkmnpqrstv.${"A".repeat(43)}`,
  "an operator's token": `sra_${long}${long}`,
  "an OpenAI key": `sk-${long}${long}`,
  "an OpenAI project key": `sk-proj-${long}-${long}_x`,
  "an Anthropic key": `sk-ant-api03-${long}-${long}AA`,
  "an OpenRouter key": `sk-or-v1-${"0123456789abcdef".repeat(4)}`,
  "a Google key": `AIzaSy${long}abcdef`,
  "a Groq key": `gsk_${long}${long}`,
  "an xAI key": `xai-${long}${long}`,
  "a Hugging Face token": `hf_${long}abcdefgh`,
  "a GitHub token": `ghp_${long}abcdefghi`,
  "a fine-grained GitHub token": `github_pat_11ABCDEFG0_${long}`,
  "a GitLab token": `glpat-${long}`,
  "a Slack token": `xoxb-123456789012-${long}`,
  "a Stripe key": `sk_live_${long}`,
  "an npm token": `npm_${long}abcdefghi`,
  "an AWS access key": "AKIAIOSFODNN7EXAMPLE",
  "a JWT": `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${long}`,
};

describe("masked", () => {
  it.each(Object.entries(secrets))("is %s, wherever it stands", (_, secret) => {
    for (const around of [
      (text: string) => text,
      (text: string) => `before ${text} after`,
      (text: string) => `"${text}"`,
      (text: string) => `key=${text}\nnext`,
      (text: string) => `(${text}).`,
    ]) {
      const masked = maskSecrets(around(secret));
      expect(masked).not.toContain(secret.slice(8, 24));
      expect(masked).toMatch(/\[masked [a-z ]+\]/);
    }
    expect(maskSecrets(`before ${secret} after`)).toMatch(/^before \[masked [a-z ]+\] after$/);
  });

  it.each([
    ["a bearer token", `Authorization: Bearer ${long}`, "Authorization: Bearer [masked token]"],
    ["a short bearer token", "bearer abc12345", "bearer [masked token]"],
    [
      "basic credentials",
      "Authorization: Basic dXNlcjpwYXNz",
      "Authorization: Basic [masked credentials]",
    ],
    [
      "a password in a URL",
      "postgres://bob:s3cr@et!@db.test:5432/x",
      "postgres://bob:[masked password]@db.test:5432/x",
    ],
    [
      "a password without a user",
      "redis://:hunter2@cache.test",
      "redis://:[masked password]@cache.test",
    ],
    [
      "a key in a query",
      "https://a.test/x?api_key=abcdef123&b=1",
      "https://a.test/x?api_key=[masked secret]&b=1",
    ],
    [
      "an AWS secret key",
      "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
      "aws_secret_access_key = [masked secret]",
    ],
    ["an assigned password", `{"password": "correct-horse-9"}`, `{"password": "[masked secret]"}`],
  ])("is %s", (_, text, masked) => {
    expect(maskSecrets(text)).toBe(masked);
  });

  it.each([
    "PRIVATE KEY",
    "RSA PRIVATE KEY",
    "EC PRIVATE KEY",
    "OPENSSH PRIVATE KEY",
    "PGP PRIVATE KEY BLOCK",
  ])("is a block: %s", (label) => {
    const key = pem(label);
    expect(maskSecrets(`a\n${key}\nb\n${key}\nc`)).toBe(
      "a\n[masked private key]\nb\n[masked private key]\nc",
    );
    expect(maskSecrets(`a ${key.replaceAll("\n", "\\n")} b`)).toBe("a [masked private key] b");
    // A key that is cut off is masked as far as it goes.
    expect(maskSecrets(key.slice(0, 80))).toBe("[masked private key]");
  });

  it("is no text that only resembles a secret", () => {
    for (const plain of [
      "The bearer of this letter, and the basic understanding of it.",
      "sk-short, task-oriented-programming-is-a-thing, risk-averse-decision-making-process",
      "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
      "https://user@host.test/path:80 and http://host.test:8080/a@b",
      "password: see below. Tokens: 12345678901234567890",
      `a hash: ${"0123456789abcdef".repeat(4)}, an id: req_${"0".repeat(26)}`,
      "{}[]()<>",
      "",
    ])
      expect(maskSecrets(plain)).toBe(plain);
  });

  it("leaves a masked text as it is", () => {
    const piece = fc.oneof(
      fc.constantFrom(...Object.values(secrets), pem("PRIVATE KEY"), "-----BEGIN PRIVATE KEY-----"),
      fc.constantFrom(
        "Bearer ",
        "Authorization: Basic ",
        "://a:",
        "@",
        "?key=",
        "password=",
        "eyJ",
        "sk-",
        ".",
        "-",
        " ",
      ),
      fc.string({ maxLength: 30 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const masked = maskSecrets(pieces.join(""));
        expect(maskSecrets(masked)).toBe(masked);
      }),
      { numRuns: 3_000 },
    );
  });

  // A pattern that looks back from each position would take minutes for one of these.
  it("takes time in proportion to the text's length, whatever the text", () => {
    const characters = 400_000;
    const beginnings = [
      "-----BEGIN PRIVATE KEY-----",
      "-----BEGIN PRIVATE KEY-----A",
      "-----END PRIVATE KEY-----",
      "eyJ",
      "eyJaaaaa-",
      "eyJaaaaa.",
      "eyJaaaaaa.eyJaaaaaa.",
      "sk-",
      "sk-ant-",
      "SG.",
      "bearer ",
      "bearer a",
      "authorization: basic ",
      "a://",
      "a://b:",
      "a://b:c@",
      "?key=",
      "password=",
      "password: ",
      "password:a",
      "AKIA",
      "xoxb-",
      "key-",
      "a",
      "A.",
      " ",
      "-",
      "\n",
      "\\n",
      "@",
    ];
    for (const text of beginnings)
      expect(maskSecrets(text.repeat(characters / text.length)).length).toBeGreaterThan(0);
  });
});

describe("a captured value", () => {
  it("is masked in every text, in keys, and under names that announce a secret", () => {
    const key = secrets["an OpenAI key"] ?? "";
    const value = {
      a: [key, { [key]: 1, authorization: "x", API_KEY: "y", password: { type: "string" } }],
      n: 1,
      t: true,
      z: null,
    };
    expect(maskValue(value)).toEqual({
      a: [
        "[masked provider key]",
        {
          "[masked provider key]": 1,
          authorization: "[masked secret]",
          API_KEY: "[masked secret]",
          password: { type: "string" },
        },
      ],
      n: 1,
      t: true,
      z: null,
    });
  });

  it("keeps media as it is", () => {
    const data = `AKIA${"A".repeat(40)}`;
    const image = { type: "image", data, mimeType: "image/png" };
    expect(maskValue(image)).toEqual(image);
    expect(maskValue({ type: "text", data })).not.toEqual({ type: "text", data });
  });

  it("keeps the value's shape", () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const value = JSON.parse(json) as Parameters<typeof maskValue>[0];
        const masked = maskValue(value);
        expect(maskValue(masked)).toEqual(masked);
        expect(Array.isArray(masked)).toBe(Array.isArray(value));
        expect(typeof masked).toBe(typeof value);
      }),
    );
  });
});
