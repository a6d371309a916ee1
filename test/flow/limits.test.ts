/** Limits that hold across processes, and what the router says while their database is down. */
import { createClient } from "@libsql/client/web";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adminOf, asking, createTenant, openSession, type Answered } from "../fakes/caller.ts";
import { startAimock, usageOf, type Aimock } from "../fakes/aimock.ts";
import { startRouter, type Router } from "../fakes/router.ts";
import { startSqld, type Sqld } from "../fakes/sqld.ts";
import { isSecondHost, onOneHost } from "../setup/on-both-hosts.ts";

const masterKey = Buffer.alloc(32, 7).toString("base64");
const adminToken = "operator-token-of-the-tests";
const model = { id: "one", tools: true, inputUsdPerMTok: 2, outputUsdPerMTok: 10 };

interface Row {
  outcome: string;
  reason: string | null;
}
const recordsOf = async (router: Router, tenant: string): Promise<Row[]> => {
  const page = await adminOf(router, adminToken)("GET", `/tenants/${tenant}/requests?limit=200`);
  return page.get("data") as Row[];
};

/** The clock moves on by `ms`: what was counted in seconds of the rate windows was so much earlier. */
async function pass({ url }: Sqld, ms: number): Promise<void> {
  const client = createClient({ url });
  const moved = await client.execute({
    sql: "update counters set bucket = bucket - ? where resource = 'requests'",
    args: [Math.ceil(ms / 1_000)],
  });
  client.close();
  expect(moved.rowsAffected).toBeGreaterThan(0);
}

describe("two worker processes on one libSQL server", () => {
  let sqld: Sqld;
  let aimock: Aimock;
  let routers: Router[];

  beforeAll(async () => {
    sqld = await startSqld();
    aimock = await startAimock([
      { match: { userMessage: "count me" }, response: { content: "counted", ...usageOf(5, 3) } },
    ]);
    const env = { DATABASE_URL: sqld.url, MASTER_KEY: masterKey, ADMIN_TOKEN: adminToken };
    routers = [await startRouter({ env })];
    // The second run has no test for two.
    if (!isSecondHost) routers.push(await startRouter({ env }));
  });
  afterAll(async () => {
    await Promise.all((routers ?? []).map((router) => router.stop()));
    await aimock?.stop();
    await sqld?.stop();
  });

  // The server's SQL decides it, on either host.
  onOneHost(() => {
    // cites: S-052
    it("admits exactly 10 of 64 concurrent callers, and one more after the time that it named", async () => {
      const [first, second] = routers as [Router, Router];
      const { key } = await createTenant({ ...first, adminToken }, "limited", {
        provider: "openai-compatible",
        baseUrl: aimock.url("openai-compatible"),
        models: [model],
        policy: { limits: { requestsPerMinute: 10 } },
      });
      const sessions = [await openSession(first, key), await openSession(second, key)];
      // The router gives the database 5 s, which a busy machine may need; such a call is asked again, as a client does.
      const ask = async (at: number): Promise<Answered | undefined> => {
        for (;;) {
          const answer = await sessions[at % 2]?.sample(asking("count me"));
          if (answer?.get("error.data.reason") !== "unavailable") return answer;
        }
      };
      const answers = await Promise.all(Array.from({ length: 64 }, (_, at) => ask(at)));
      const refused = answers.filter((answer) => answer?.get("error") !== undefined) as Answered[];
      const answered = answers.filter((answer) => answer?.get("result") !== undefined);
      expect(answered).toHaveLength(10);
      expect(await aimock.journal()).toHaveLength(10);
      expect(refused).toHaveLength(54);
      for (const refusal of refused) {
        expect(refusal.status).toBe(200);
        expect(refusal.get("error.code")).toBe(-429);
        expect(refusal.get("error.data")).toMatchObject({
          reason: "rate_limited",
          limit: "tenant.requestsPerMinute",
          retryAfterMs: expect.any(Number),
        });
        expect(Number(refusal.headers.get("retry-after"))).toBeGreaterThan(0);
        expect(refusal.headers.get("ratelimit")).toContain('"tenant.requestsPerMinute";r=0');
      }
      const last = refused.at(-1) as Answered;
      await pass(sqld, Number(last.get("error.data.retryAfterMs")));
      const again = await sessions[1]?.sample(asking("count me"));
      expect(again?.get("result.content.text")).toBe("counted");
      expect(again?.headers.get("ratelimit-policy")).toBe('"tenant.requestsPerMinute";q=10;w=60');
      const records = await recordsOf(first, "limited");
      expect(records.filter(({ outcome }) => outcome === "succeeded")).toHaveLength(11);
      expect(records.filter(({ reason }) => reason === "rate_limited")).toHaveLength(54);
    }, 120_000);
  });

  it("answers unavailable and calls nobody while the database is down", async () => {
    const [first] = routers as [Router];
    const { key } = await createTenant({ ...first, adminToken }, "cut-off", {
      provider: "openai-compatible",
      baseUrl: aimock.url("openai-compatible"),
      models: [model],
    });
    const session = await openSession(first, key);
    expect((await session.sample(asking("count me"))).get("result.model")).toBeDefined();
    aimock.clear();
    await sqld.kill9();
    const warm = await session.sample(asking("count me"));
    expect(warm.get("error.code")).toBe(-503);
    expect(warm.get("error.data")).toMatchObject({ reason: "unavailable", retryAfterMs: 1_000 });
    const ready = await fetch(`${first.url}/health/ready`);
    expect(ready.status).toBe(503);
    expect((await fetch(`${first.url}/health`)).status).toBe(200);
    expect(await aimock.journal()).toHaveLength(0);
    await sqld.restart();
    const back = await session.sample(asking("count me"));
    expect(back.get("result.content.text")).toBe("counted");
    expect((await recordsOf(first, "cut-off")).map(({ outcome }) => outcome)).toEqual([
      "succeeded",
      "succeeded",
    ]);
  });
});
