/** What is known of a request on Node, where the runtime has no stream of a fixed length. */
import { createServer, type AddressInfo, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProviders } from "../../../src/providers/registry.ts";
import { withEvidence } from "../../../src/providers/request-evidence.ts";
import { freePort } from "../../fakes/sqld.ts";
import { call, model } from "../domain/models.fixture.ts";

const answering = (status: number) => async () =>
  new Response(status === 200 ? "{}" : null, { status });
const post = { method: "POST", body: "{}" };

describe("a request", () => {
  it.each([204, 205, 301, 302, 304, 307, 401, 503])("answered with %i is free", async (status) => {
    const evidence = withEvidence(answering(status), { globals: {} });
    await evidence.fetch("https://a.example", post);
    expect(evidence.surelyFree()).toBe(true);
  });

  it("answered with 200 is not free", async () => {
    const evidence = withEvidence(answering(200), { globals: {} });
    await evidence.fetch("https://a.example", post);
    expect(evidence.surelyFree()).toBe(false);
  });

  it("that failed may have arrived, unless its error's code says otherwise", async () => {
    const evidence = withEvidence(async () => Promise.reject(new TypeError("fetch failed")), {
      globals: {},
    });
    await expect(evidence.fetch("https://a.example", post)).rejects.toThrow("fetch failed");
    expect(evidence.surelyFree()).toBe(false);
  });

  it("that was never made says nothing", () => {
    expect(withEvidence(answering(200), { globals: {} }).surelyFree()).toBe(false);
  });
});

describe("on Node, whose errors have codes,", () => {
  let plain: Server;
  let closedPort: number;
  beforeAll(async () => {
    closedPort = await freePort();
    plain = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    });
    await new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => plain.close());

  const urls: Record<string, () => string> = {
    "a refused connection": () => `http://127.0.0.1:${closedPort}/v1`,
    "an unknown host": () => "http://no-such-host.invalid/v1",
    "a failed TLS handshake": () => `https://127.0.0.1:${(plain.address() as AddressInfo).port}/v1`,
  };
  it.each(Object.keys(urls))("%s is billed by nobody", async (what) => {
    const providers = createProviders({ fetch, demo: false, now: () => 0 });
    const completed = await providers.complete({
      credential: { provider: "openai", apiKey: "k", baseUrl: urls[what]?.() ?? "" },
      model: model("openai/gpt-4o"),
      call: call(),
      maxTokens: 10,
      signal: AbortSignal.timeout(5_000),
    });
    expect(completed).toMatchObject({
      ok: false,
      error: { kind: "network", reach: "endpoint", billed: "no", status: null },
    });
  });
});
