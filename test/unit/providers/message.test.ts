/** A provider's error message is masked, bounded, and free of the caller's text. */
import { APICallError } from "@ai-sdk/provider";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { callOf, saying } from "../../fixtures/providers/calls.ts";
import { messageOf } from "../../../src/providers/message.ts";

const key = "sk-the-tenants-own-key-1234567890";
const failed = (responseBody: unknown, statusCode = 400): APICallError =>
  new APICallError({
    message: "the library's own words",
    url: "https://provider.example/v1",
    requestBodyValues: { prompt: "secret prompt" },
    statusCode,
    responseBody: responseBody as string,
  });
const request = {
  credential: { provider: "openai", apiKey: key, baseUrl: null },
  call: callOf({
    ...saying({ type: "text", text: 'What is "wisdom"?' }),
    systemPrompt: "You are a hermit.",
  }),
};
const said = (body: unknown): string | null => messageOf(failed(JSON.stringify(body)), request);

it.each<[string, unknown]>([
  ["OpenAI", { error: { message: "No such model.", type: "invalid_request_error", code: null } }],
  ["Anthropic", { type: "error", error: { type: "not_found_error", message: "No such model." } }],
  ["Google, in an array", [{ error: { code: 404, message: "No such model." } }]],
  ["one with a bare error", { error: "No such model." }],
  ["one with a message alone", { message: "No such model." }],
  ["one with a detail", { detail: "No such model." }],
])("%s is read by its message", (_, body) => {
  expect(said(body)).toBe("No such model.");
});

it("another text is kept as it begins, on one line", () => {
  expect(messageOf(failed("<h1>Bad\n  gateway</h1>", 502), request)).toBe("<h1>Bad gateway</h1>");
});

it("the key and other secrets are masked before the message is cut", () => {
  const message = `${"x".repeat(480)} ${key} and AKIAIOSFODNN7EXAMPLE and ${"y".repeat(600)}`;
  const kept = said({ error: { message } }) ?? "";
  expect(kept).toHaveLength(500);
  expect(kept).not.toContain("sk-the");
  expect(said({ error: { message: `Incorrect API key provided: ${key}` } })).toBe(
    "Incorrect API key provided: [key]",
  );
});

it("what the caller wrote is taken out of an echo, as text and as JSON", () => {
  const echo = JSON.stringify(request.call);
  expect(said({ error: { message: `Bad request: ${echo}` } })).toMatch(
    /^Bad request: .*\[content\]/,
  );
  for (const text of [echo, 'Invalid: What is "wisdom"? You are a hermit.'])
    expect(said({ error: { message: text } })).not.toMatch(/wisdom|hermit/);
});

it("there is no message where no body came, nobody answered, or a success can't be read", () => {
  expect(said({})).toBe("{}");
  expect(messageOf(failed(""), request)).toBeNull();
  expect(messageOf(failed(undefined), request)).toBeNull();
  expect(messageOf(new Error(key), request)).toBeNull();
  expect(messageOf(failed('{"choices": "the answer"}', 200), request)).toBeNull();
});

it("no body makes it throw, grow or keep the key", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), fc.boolean(), (body, isWrapped) => {
      const text = isWrapped ? JSON.stringify({ error: { message: `${body}${key}` } }) : body;
      const kept = messageOf(failed(text), request) ?? "";
      expect([...kept].length).toBeLessThanOrEqual(500);
      expect(kept).not.toContain(key);
    }),
  );
});
