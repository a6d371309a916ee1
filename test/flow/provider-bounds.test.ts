/** A provider's answer without bound: 48 kB of gzip that unpack to 48 MB, over HTTP, in the Workers runtime. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adminOf, asking, callOnce, createTenant } from "../fakes/caller.ts";
import { startFaultyProvider, faultyText, type FaultyProvider } from "../fakes/faulty-provider.ts";
import { startGzipBomb, type GzipBomb } from "../fakes/gzip-bomb.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

const unpackedBytes = 48 * 1024 * 1024;
let router: SharedRouter;
let bomb: GzipBomb;
let healthy: FaultyProvider;

beforeAll(async () => {
  [router, bomb, healthy] = await Promise.all([
    borrowRouter(),
    startGzipBomb(unpackedBytes),
    startFaultyProvider(),
  ]);
});
afterAll(async () => {
  await Promise.all([bomb?.stop(), healthy?.stop()]);
});

const gpt = asking("hello", { modelPreferences: { hints: [{ name: "gpt" }] } });

const newest = async (slug: string) => {
  const records = await adminOf(router, router.adminToken)(
    "GET",
    `/tenants/${slug}/requests?limit=1`,
  );
  const [record] = records.get("data") as {
    outcome: string;
    costMicroUsd: number | null;
    attempts: Record<string, unknown>[];
  }[];
  return record;
};

describe("an answer that unpacks without bound", () => {
  it("is a fault of its endpoint: another provider answers, and it is charged as reserved", async () => {
    expect(bomb.wireBytes).toBeLessThan(100_000);
    bomb.answersWith(200);
    const { key } = await createTenant(router, "unpacked", {
      provider: "openai",
      baseUrl: bomb.url,
    });
    await adminOf(router, router.adminToken)("POST", "/tenants/unpacked/credentials", {
      provider: "anthropic",
      name: "anthropic",
      apiKey: "k",
      baseUrl: healthy.url("anthropic"),
    });
    const answer = await callOnce(router, key, gpt);
    expect(answer.get("result.content.text")).toBe(faultyText);
    const record = await newest("unpacked");
    expect(record?.attempts).toMatchObject([
      {
        provider: "openai",
        fault: "malformed",
        code: "response_too_large",
        reach: "endpoint",
        status: 200,
        billed: "maybe",
      },
      { provider: "anthropic", fault: null, billed: "yes" },
    ]);
    // It is unknown what the first attempt used.
    const [first] = record?.attempts ?? [];
    expect(Number(first?.["costMicroUsd"])).toBeGreaterThan(0);
  });

  it("makes the call fail with its reason where there is no other provider", async () => {
    bomb.answersWith(200);
    const { key } = await createTenant(router, "alone", { provider: "openai", baseUrl: bomb.url });
    const answer = await callOnce(router, key, gpt);
    expect(answer.get("error.data.reason")).toBe("provider_failed");
    // Other models of the same endpoint would only cost more of the same.
    expect((await newest("alone"))?.attempts).toMatchObject([{ code: "response_too_large" }]);
  });

  it("is cut where it is an error: the status decides, and nothing is charged", async () => {
    bomb.answersWith(401);
    const { key } = await createTenant(router, "refused", {
      provider: "openai",
      baseUrl: bomb.url,
    });
    const answer = await callOnce(router, key, gpt);
    expect(answer.get("error.data.reason")).toBe("provider_failed");
    const record = await newest("refused");
    expect(record).toMatchObject({ costMicroUsd: 0 });
    expect(record?.attempts[0]).toMatchObject({ fault: "auth", status: 401, billed: "no" });
  });
});

it("a list of models without bound is no list", async () => {
  bomb.answersWith(200);
  await createTenant(router, "listed", { provider: "demo" });
  const admin = adminOf(router, router.adminToken);
  const made = await admin("POST", "/tenants/listed/credentials", {
    provider: "openai",
    name: "listed",
    apiKey: "k",
    baseUrl: bomb.url,
  });
  const before = bomb.requests();
  const checked = await admin(
    "POST",
    `/tenants/listed/credentials/${String(made.get("id"))}/check`,
  );
  expect(bomb.requests()).toBeGreaterThan(before);
  expect(checked.get("ok")).toBe(false);
});
