/** One tenant's flood, and a database that takes no writes, seen from outside. */
import { createClient } from "@libsql/client/web";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adminOf, asking, callOnce, createTenant, type Answered } from "../fakes/caller.ts";
import { startFaultyProvider, type FaultyProvider } from "../fakes/faulty-provider.ts";
import { startRouter, type Router } from "../fakes/router.ts";
import { startSqld, type Sqld } from "../fakes/sqld.ts";
import { patient } from "../setup/patience.ts";

let sqld: Sqld;
let router: Router;
let provider: FaultyProvider;

beforeAll(async () => {
  // With its own defaults: writers of one process would be in each other's way.
  [sqld, provider] = await Promise.all([startSqld({}), startFaultyProvider({ slowMs: 100 })]);
  router = await startRouter({ env: { DATABASE_URL: sqld.url } });
}, 90_000);
afterAll(async () => {
  await router?.stop();
  await Promise.all([sqld?.stop(), provider?.stop()]);
});

const tenant = (slug: string) =>
  createTenant(router, slug, {
    provider: "steady",
    baseUrl: provider.url("openai-compatible"),
    models: [{ id: "one", inputUsdPerMTok: 1, outputUsdPerMTok: 1 }],
  });

const isAnswered = (answer: Answered): boolean => answer.get("result.role") === "assistant";
const reasonOf = (answer: Answered): unknown => answer.get("error.data.reason");

interface Outcomes {
  data: { outcome: string }[];
  nextCursor: string | null;
}

async function outcomesOf(slug: string): Promise<string[]> {
  const admin = adminOf(router, router.adminToken);
  const outcomes: string[] = [];
  for (let cursor = ""; ;) {
    const page = (await admin("GET", `/tenants/${slug}/requests?limit=100${cursor}`))
      .body as Outcomes;
    outcomes.push(...page.data.map(({ outcome }) => outcome));
    if (page.nextCursor === null) return outcomes;
    cursor = `&cursor=${page.nextCursor}`;
  }
}

describe("a flood of one tenant", () => {
  it("is refused early with a time to retry, has its admitted calls settled, and leaves the other tenant its turns", async () => {
    const [flooding, calm] = [await tenant("flooding"), await tenant("calm")];
    const answers: Answered[] = [];
    // Where callers get less of the processor than the router, it takes more of them.
    for (let callers = 600; callers <= 2_400 && answers.every(isAnswered); callers *= 2) {
      const flood = Promise.all(
        Array.from({ length: callers }, () => callOnce(router, flooding.key, asking("hello"))),
      );
      for (let count = 0; count < 5; count += 1) {
        const answer = await callOnce(router, calm.key, asking("hello"));
        expect(answer.body).toMatchObject({ result: { role: "assistant" } });
      }
      answers.push(...(await flood));
    }
    const refused = answers.filter((answer) => !isAnswered(answer));
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      expect(reasonOf(answer)).toBe("unavailable");
      expect(answer.get("error.data.retryAfterMs")).toBeGreaterThan(0);
      expect(answer.get("error.data.retryable")).toBe(true);
    }
    const answered = answers.length - refused.length;
    expect(answered).toBeGreaterThan(0);
    // Every admitted call was settled.
    await expect
      .poll(() => outcomesOf("flooding"), { timeout: patient(15_000) })
      .toEqual(Array.from({ length: answered }, () => "succeeded"));
  }, 90_000);
});

describe("a database that can be read and not written", () => {
  it("makes the router not ready, and says why", async () => {
    const client = createClient({ url: sqld.url });
    const ready = async () => {
      const answer = await fetch(`${router.url}/health/ready`);
      return { status: answer.status, body: (await answer.json()) as unknown };
    };
    expect(await ready()).toEqual({ status: 200, body: { status: "ready" } });
    await client.execute(`create trigger no_write before insert on write_probes
      begin select raise(abort, 'attempt to write a readonly database'); end`);
    await expect.poll(ready, { timeout: patient(15_000), interval: 200 }).toMatchObject({
      status: 503,
      body: { status: "writes fail", fault: "read_only" },
    });
    await client.execute("drop trigger no_write");
    await expect
      .poll(ready, { timeout: patient(15_000), interval: 200 })
      .toMatchObject({ status: 200 });
    client.close();
  });
});
