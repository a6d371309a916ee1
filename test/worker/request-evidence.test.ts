/**
 * In the Workers runtime: which requests left, though its errors look the same. A connection that is
 * reset once the request was read, and a provider that is at work, are in `test/flow/failover.test.ts`.
 */
import { describe, expect, it } from "vitest";
import { createProviders } from "../../src/providers/registry.ts";
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
