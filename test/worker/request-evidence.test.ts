/**
 * In the Workers runtime: which requests left, though its errors look the same. A connection that is
 * reset once the request was read, and a provider that is at work, are in `test/flow/failover.test.ts`.
 */
import { describe, expect, it } from "vitest";
import { createProviders } from "../../src/providers/registry.ts";
import { createRecentAnswers } from "../../src/providers/recent-answers.ts";
import { withEvidence } from "../../src/providers/request-evidence.ts";
import { call, model } from "../unit/domain/models.fixture.ts";

// Nobody listens on the discard port of a machine that runs tests, and `.invalid` is nobody's name (RFC 2606).
const unreached = {
  "a refused connection": "http://127.0.0.1:9/v1",
  "a refused connection over TLS": "https://127.0.0.1:9/v1",
  "an unknown host": "http://no-such-host.invalid/v1",
  "an unknown host over TLS": "https://no-such-host.invalid/v1",
};
const request = (text: string) => ({ method: "POST", body: JSON.stringify({ text }) });

describe.each(Object.entries(unreached))("%s", (_, url) => {
  it.each([1, 1_000, 300_000])("leaves nothing that was sent, of %i characters", async (length) => {
    const evidence = withEvidence((...args) => fetch(...args));
    await expect(evidence.fetch(url, request("x".repeat(length)))).rejects.toThrow();
    expect(evidence.surelyFree()).toBe(true);
  });

  it("is a network fault of the endpoint that nobody bills", async () => {
    const providers = createProviders({
      fetch: (...args) => fetch(...args),
      demo: false,
      now: () => 0,
    });
    const completed = await providers.complete({
      credential: { provider: "openai", apiKey: "k", baseUrl: url },
      model: model("openai/gpt-4o"),
      call: call(),
      maxTokens: 10,
      signal: AbortSignal.timeout(5_000),
    });
    expect(completed).toMatchObject({
      ok: false,
      error: { kind: "network", reach: "endpoint", billed: "no", status: null, retryable: true },
    });
  });
});

describe("an endpoint that answered a moment ago", () => {
  const refused = "http://127.0.0.1:9/v1";
  const openai = { provider: "openai", apiKey: "k" };
  const remembered = () => {
    const clock = { now: 5_000 };
    return { clock, recentAnswers: createRecentAnswers({ now: () => clock.now, capacity: 10 }) };
  };

  it("is sent the body whole", async () => {
    const recent = remembered().recentAnswers("openai http://127.0.0.1:9");
    const sent: unknown[] = [];
    const answering = async (_: unknown, init?: RequestInit) => {
      sent.push(init?.body);
      return new Response("{}");
    };
    for (let count = 0; count < 2; count += 1)
      await withEvidence(answering, { recent }).fetch(refused, request("x"));
    expect(sent).toEqual([expect.any(ReadableStream), request("x").body]);
  });

  const failing = async ({
    recentAnswers,
  }: Pick<ReturnType<typeof remembered>, "recentAnswers">) => {
    const completed = await createProviders({
      fetch: (...args) => fetch(...args),
      demo: false,
      now: () => 0,
      recentAnswers,
    }).complete({
      credential: { ...openai, baseUrl: refused },
      model: model("openai/gpt-4o"),
      call: call(),
      maxTokens: 10,
      signal: AbortSignal.timeout(5_000),
    });
    return completed.ok ? null : completed.error.billed;
  };

  it("and refuses connections now may have billed the first request, and no other one", async () => {
    const { recentAnswers } = remembered();
    recentAnswers("openai http://127.0.0.1:9").answered();
    expect(await failing({ recentAnswers })).toBe("maybe");
    expect(await failing({ recentAnswers })).toBe("no");
  });

  it("says nothing of another endpoint, or of itself a second later", async () => {
    const { clock, recentAnswers } = remembered();
    recentAnswers("openai http://127.0.0.1:10").answered();
    expect(await failing({ recentAnswers })).toBe("no");
    recentAnswers("openai http://127.0.0.1:9").answered();
    clock.now += 1_000;
    expect(await failing({ recentAnswers })).toBe("no");
  });
});
