/** Answers that servers write in unusual ways mean the same, whether a request is passed or translated. */
import { describe, expect, it } from "vitest";
import { readModelRequest } from "../../../src/mcp/json-text/model-request.ts";
import { createProviders } from "../../../src/providers/registry.ts";
import { requestOf } from "../../fixtures/providers/calls.ts";

const answer = (more: object = {}) => ({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "hello" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 },
  ...more,
});

async function answered(text: string, lane: "passed" | "translated") {
  const { complete } = createProviders({
    fetch: async () => new Response(text, { headers: { "content-type": "application/json" } }),
    demo: false,
    now: () => 0,
  });
  const body = readModelRequest(new TextEncoder().encode('{"model":"m","messages":[]}'));
  if (!body.ok) throw new Error("unreadable");
  const request = requestOf({ provider: "vllm", model: "m" }, { baseUrl: "http://127.0.0.1:1/v1" });
  const passed = {
    endpoint: "chat.completions",
    body: body.value,
    headers: {},
    addsLimit: false,
  } as const;
  const result = await complete(lane === "passed" ? { ...request, passed } : request);
  return result.ok
    ? { text: result.value.content, input: result.value.usage.inputTokens }
    : { kind: result.error.kind, code: result.error.code };
}

const text = [{ type: "text", text: "hello" }];

describe.each(["passed", "translated"] as const)("a %s request's answer", (lane) => {
  it.each([
    ["with a byte order mark", `\uFEFF${JSON.stringify(answer())}`],
    ["after blank lines that kept the connection open", `\n\n  \n${JSON.stringify(answer())}`],
  ])("%s is understood", async (_, written) => {
    expect(await answered(written, lane)).toEqual({ text, input: 5 });
  });

  it.each([
    ["none", undefined],
    ["null", null],
    ["written as text", { prompt_tokens: "5", completion_tokens: "4" }],
  ])("whose usage is %s counts as estimated, and isn't lost", async (_, usage) => {
    expect(await answered(JSON.stringify(answer({ usage })), lane)).toMatchObject({ text });
  });

  it("that is an error with status 200 has the error's own meaning", async () => {
    const error = { message: "slow down", type: "rate_limit", code: 429 };
    expect(await answered(JSON.stringify({ error }), lane)).toEqual({
      kind: "rate_limit",
      code: "rate_limited",
    });
  });

  it("that is a page is malformed", async () => {
    expect(await answered("<!doctype html><title>Log in</title>", lane)).toMatchObject({
      kind: "malformed",
    });
  });
});
