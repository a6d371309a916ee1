/**
 * Numbers that no database gives back, said by callers, administrators and providers: everything can be read
 * afterwards.
 */
import { createClient } from "@libsql/client/web";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adminOf, asking, callOnce, createTenant } from "../fakes/caller.ts";
import { startMeteredProvider, type MeteredProvider } from "../fakes/metered-provider.ts";
import { startRouter, type Router } from "../fakes/router.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { startSqld, type Sqld } from "../fakes/sqld.ts";

describe.each(["the libSQL server", "the embedded database"])("with %s", (database) => {
  let sqld: Sqld | null = null;
  let provider: MeteredProvider;
  let router: SharedRouter;
  /** the one over the libSQL server: this file's own */
  let own: Router | null = null;
  beforeAll(async () => {
    provider = await startMeteredProvider();
    if (database === "the libSQL server") {
      sqld = await startSqld();
      own = await startRouter({ env: { DATABASE_URL: sqld.url } });
    }
    router = own ?? (await borrowRouter());
  }, 90_000);
  afterAll(async () => {
    await own?.stop();
    await provider?.stop();
    await sqld?.stop();
  });

  const given = async (slug: string, model: Record<string, unknown>, policy: unknown) => {
    const { key } = await createTenant(router, slug, {
      provider: "openai-compatible",
      baseUrl: provider.url("openai-compatible"),
      models: [{ id: slug, ...model }],
      policy,
    });
    return { key, admin: adminOf(router, router.adminToken) };
  };
  const allOf = (slug: string) =>
    ["requests", "usage", "requests/export", "seals"].map((path) => `/tenants/${slug}/${path}`);

  const wishes = [Number.MAX_SAFE_INTEGER, 1e15];
  const policies = [
    { name: "no limit", policy: {} },
    { name: "a limit of tokens", policy: { limits: { tokensPerMinute: 1_000 } } },
    { name: "a budget", policy: { limits: { usdPerDay: 1 } } },
  ];
  const cases = wishes.flatMap((maxTokens, at) =>
    policies.map(({ name, policy }, place) => ({
      maxTokens,
      name,
      policy,
      slug: `wish-${at}-${place}`,
    })),
  );
  it.each(cases)(
    "a call that asks for $maxTokens tokens under $name",
    async ({ maxTokens, slug, policy }) => {
      const prices = { inputUsdPerMTok: 100_000, outputUsdPerMTok: 100_000 };
      const { key, admin } = await given(slug, prices, policy);
      const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
      provider.set(slug, { text: "Hi.", usage });
      await callOnce(router, key, asking("Hello.", { maxTokens }));
      const plain = await callOnce(router, key, asking("Hello."));
      expect(plain.body).toMatchObject(
        Object.keys(policy).length === 0
          ? { result: { content: { text: "Hi." } } }
          : { jsonrpc: "2.0" },
      );
      for (const path of allOf(slug)) expect((await admin("GET", path)).status).toBe(200);
      const records = await admin("GET", `/tenants/${slug}/requests`);
      expect(records.get("data")).toHaveLength(2);
    },
  );

  // Not with the embedded database: its runtime alone writes that file. The stores' contract poisons it there.
  it.runIf(database === "the libSQL server")(
    "a row that can't be read stops nothing else, and is reported once",
    async () => {
      const slug = "poisoned";
      const { key, admin } = await given(slug, {}, {});
      const ids: string[] = [];
      for (let count = 0; count < 3; count += 1) {
        const answer = await callOnce(router, key, asking(`Call ${count}.`));
        ids.push(answer.headers.get("x-request-id") ?? "");
      }
      const [first = "", bad = "", last = ""] = ids;
      const client = createClient({ url: sqld?.url ?? "" });
      await client.execute({
        sql: "update sampling_requests set cost_micro_usd = 9223372036854775807 where id = ?",
        args: [bad],
      });
      client.close();
      for (let count = 0; count < 2; count += 1) {
        for (const path of allOf(slug)) expect((await admin("GET", path)).status).toBe(200);
        const listed = await admin("GET", `/tenants/${slug}/requests`);
        const data = listed.get("data") as { id: string }[];
        expect(data.map(({ id }) => id)).toEqual([last, first]);
        const refused = await admin("GET", `/tenants/${slug}/requests/${bad}`);
        expect(refused.status).toBe(500);
        expect(refused.body).toMatchObject({ reason: "unreadable", retryable: false });
      }
      const exported = await admin("GET", `/tenants/${slug}/requests/export`);
      expect(exported.text).toContain('"unreadable":1');
      expect(exported.text).toContain(last);
      const events = (await admin("GET", "/events?limit=200")).get("data") as {
        action: string;
        target: string;
      }[];
      expect(events.filter(({ action }) => action === "record.unreadable")).toMatchObject([
        { target: bad },
      ]);
      const lines = own?.output().match(/"event":"record.unreadable"/g);
      expect(lines).toHaveLength(1);
    },
  );

  it("prices and budgets of reasoning that an administrator declares are bounded", async () => {
    const { admin } = await given("declared", {}, {});
    const declare = (change: unknown) =>
      admin("PUT", "/tenants/declared/models/openai-compatible/declared", change);
    const tier = { aboveInputTokens: 1, inputUsdPerMTok: 1, outputUsdPerMTok: 1 };
    expect((await declare({ priceTiers: [tier] })).status).toBe(200);
    for (const absurd of [1e300, 1e6, -1]) {
      const answer = await declare({ priceTiers: [{ ...tier, outputUsdPerMTok: absurd }] });
      expect(answer.status).toBe(400);
    }
    const control = { efforts: ["low"], byDefault: "low", sentAs: "thinking_budget", source: "s" };
    const answer = await declare({ reasoning: { ...control, budgets: { low: 2 ** 53 } } });
    expect(answer.status).toBe(400);
  });
});
