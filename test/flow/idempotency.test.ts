/** A call that is sent again under its idempotency key, through the real router. */
import { readFileSync } from "node:fs";
import { createClient } from "@libsql/client/web";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  adminOf,
  asking,
  callOnce,
  createTenant,
  openSession,
  type Answered,
} from "../fakes/caller.ts";
import {
  faultyText,
  startFaultyProvider,
  type FaultyMode,
  type FaultyProvider,
} from "../fakes/faulty-provider.ts";
import { startMediaProvider, type MediaProvider } from "../fakes/media-provider.ts";
import { databaseFilesIn } from "../fakes/router.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { borrowPair, type SharedPair } from "../fakes/shared-pair.ts";
import { sharing } from "../setup/shared-settings.ts";

const adminToken = "operator-token-of-the-tests";
const model = { id: "one", tools: true, inputUsdPerMTok: 2, outputUsdPerMTok: 10 };
const member = "sampling-router/idempotencyKey";
/** What the slugs of this file's tenants begin with: other files use the pair too. */
const slugs = "idempotent-";
const prompt = "Do you hear the nightingale?";

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const until = async (isSo: () => boolean): Promise<void> => {
  for (let tries = 0; tries < 400 && !isSo(); tries += 1) await wait(25);
  expect(isSo()).toBe(true);
};

interface Row {
  id: string;
  outcome: string;
  reason: string | null;
  costMicroUsd: number | null;
  replays: number | null;
}

/** A result without the time that settling took, which is not known yet when the result is kept. */
const resultOf = (answer: Answered | undefined): unknown => {
  const result = structuredClone(answer?.get("result")) as {
    _meta: { "sampling-router/decision": { timingMs: { settle: number } } };
  };
  result._meta["sampling-router/decision"].timingMs.settle = 0;
  return result;
};

/** All that the database holds, as text; of a libSQL server's tenants, those of this file. */
async function everythingIn({ sqldUrl, routers }: SharedPair): Promise<string> {
  if (sqldUrl === null)
    return databaseFilesIn(routers[0].stateDir)
      .map((path) => readFileSync(path, "latin1"))
      .join();
  const client = createClient({ url: sqldUrl });
  const tables = await client.execute("select name, sql from sqlite_master where type = 'table'");
  const ours = `where tenant_id in (select id from tenants where slug like '${slugs}%')`;
  let all = "";
  for (const { name, sql } of tables.rows) {
    const rows = `select * from "${String(name)}" ${String(sql).includes("tenant_id") ? ours : ""}`;
    all += JSON.stringify((await client.execute(rows)).rows);
  }
  client.close();
  return all;
}

describe.each(sharing)("an idempotency key, at two %s", (how) => {
  let two: SharedPair;
  let faulty: FaultyProvider;
  let routers: SharedPair["routers"];
  let made = 0;

  beforeAll(async () => {
    faulty = await startFaultyProvider({ slowMs: 1_500 });
    two = await borrowPair(how);
    ({ routers } = two);
  });
  afterAll(async () => {
    await faulty?.stop();
  });
  beforeEach(() => faulty.clear());

  const begun = async (mode: FaultyMode, policy?: unknown) => {
    faulty.setMode(mode);
    const slug = `${slugs}${(made += 1)}`;
    const { key } = await createTenant({ ...routers[0], adminToken }, slug, {
      provider: "openai-compatible",
      baseUrl: faulty.url("openai-compatible"),
      models: [model],
      ...(policy === undefined ? {} : { policy }),
    });
    const records = async () =>
      (await adminOf(routers[0], adminToken)("GET", `/tenants/${slug}/requests?limit=200`)).get(
        "data",
      ) as Row[];
    const call = (name: string, more: Record<string, unknown> = {}, at = 0) =>
      callOnce(routers[at % 2] ?? routers[0], key, asking(prompt, more), {
        headers: { "Idempotency-Key": name },
      });
    return { slug, key, records, call };
  };

  it("makes one provider call and one charge of 16 calls at once, at both", async () => {
    const { call, records } = await begun("slow", { limits: { requestsPerMinute: 1 } });
    // A database that a busy machine keeps waiting for 5 s is unavailable: a client then asks again under its key.
    const patiently = async (at: number): Promise<Answered> => {
      const answer = await call("k", {}, at);
      if (answer.get("error.data.reason") !== "unavailable") return answer;
      await wait(200);
      return patiently(at);
    };
    const answers = await Promise.all(Array.from({ length: 16 }, (_, at) => patiently(at)));
    expect(faulty.requests()).toHaveLength(1);
    const [first] = answers;
    expect(first?.get("result.content.text")).toBe(faultyText);
    for (const answer of answers) {
      expect(resultOf(answer)).toEqual(resultOf(first));
      expect(answer.headers.get("x-request-id")).toBe(first?.headers.get("x-request-id"));
    }
    expect(await records()).toMatchObject([
      { outcome: "succeeded", costMicroUsd: 12 * 2 + 5 * 10, replays: 15 },
    ]);
  });

  it("gives the result again afterwards, by either way of saying it, in either era and at either of them", async () => {
    const { key, call, records } = await begun("fine");
    const first = await call("k");
    expect(first.get("result.content.text")).toBe(faultyText);
    expect(resultOf(await call("k", {}, 1))).toEqual(resultOf(first));
    const said = { metadata: { [member]: "m" } };
    const session = await openSession(routers[1], key);
    const legacy = await session.sample(asking(prompt, said));
    const modern = await callOnce(routers[0], key, asking(prompt, said));
    // Except for what each era adds of its own.
    expect(resultOf(modern)).toMatchObject(resultOf(legacy) as object);
    expect(modern.get("result.resultType")).toBe("complete");
    expect(faulty.requests()).toHaveLength(2);
    // The provider gets neither form of the key.
    expect(JSON.stringify(faulty.requests())).not.toContain("idempotency");
    expect(await records()).toMatchObject([{ replays: 1 }, { replays: 1 }]);
  });

  it("is refused with other params, and belongs to its API key alone", async () => {
    const { slug, call, records } = await begun("fine");
    const first = await call("k");
    const other = await call("k", { maxTokens: 51 });
    expect(other.get("error.code")).toBe(-409);
    expect(other.get("error.data")).toMatchObject({ reason: "idempotency_conflict" });
    expect(other.status).toBe(200);
    expect(await records()).toMatchObject([
      { outcome: "refused", reason: "idempotency_conflict", costMicroUsd: null },
      { outcome: "succeeded", replays: 0 },
    ]);
    const admin = adminOf(routers[0], adminToken);
    const sibling = await admin("POST", `/tenants/${slug}/keys`, {
      name: "sibling",
      scopes: ["sampling"],
    });
    const theirs = await callOnce(routers[0], String(sibling.get("key")), asking(prompt), {
      headers: { "Idempotency-Key": "k" },
    });
    expect(theirs.get("result.content.text")).toBe(faultyText);
    expect(theirs.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
    expect(faulty.requests()).toHaveLength(2);
  });

  it("is refused where it is malformed, and no provider is called", async () => {
    const { call, key } = await begun("fine");
    for (const answer of [
      await call("k".repeat(256)),
      await call("k", { metadata: { [member]: "other" } }),
      await callOnce(routers[0], key, asking(prompt, { metadata: { [member]: 7 } })),
    ])
      expect(answer.get("error.data.reason")).toBe("invalid_params");
    expect(faulty.requests()).toHaveLength(0);
  });

  it("is free after a failure that cost nothing, also for those who waited", async () => {
    const { call, records } = await begun("broken");
    expect((await call("k")).get("error.code")).toBe(-502);
    faulty.setMode("fine");
    expect((await call("k")).get("result.content.text")).toBe(faultyText);
    expect(await records()).toMatchObject([
      { outcome: "succeeded", replays: 0 },
      { outcome: "failed", replays: null },
    ]);
  });

  it("gives the recorded failure again where that was charged", async () => {
    const { call, records } = await begun("reset");
    const failed = await call("k");
    expect(failed.get("error.code")).toBe(-502);
    const calls = faulty.requests().length;
    faulty.setMode("fine");
    const again = await call("k", {}, 1);
    expect(again.get("error")).toEqual(failed.get("error"));
    expect(faulty.requests()).toHaveLength(calls);
    const [row, ...more] = await records();
    expect([row?.outcome, more]).toEqual(["failed", []]);
    expect(row?.costMicroUsd).toBeGreaterThan(0);
  });

  it("is not taken by a call that a limit refused", async () => {
    const limits = { requestsPerMinute: 1 };
    const { call, records } = await begun("fine", { limits });
    await call("first");
    expect((await call("k")).get("error.code")).toBe(-429);
    expect((await call("k", { maxTokens: 7 })).get("error.code")).toBe(-429);
    expect((await records()).map(({ replays }) => replays)).toEqual([null, null, 0]);
  });

  it("gives a legacy caller that left and came back its result", async () => {
    const { key, records } = await begun("slow");
    const session = await openSession(routers[0], key);
    const leaving = new AbortController();
    const params = asking(prompt, { metadata: { [member]: "k" } });
    const left = session.sample(params, leaving.signal).catch(() => null);
    await until(() => faulty.requests().length === 1);
    leaving.abort();
    expect(await left).toBeNull();
    // The repetition waits for the call that goes on.
    const retried = await (await openSession(routers[1], key)).sample(params);
    expect(retried.get("result.content.text")).toBe(faultyText);
    expect(faulty.requests()).toHaveLength(1);
    expect(await records()).toMatchObject([{ outcome: "succeeded", replays: 1 }]);
  });

  it("gives nothing to a key that was revoked, in an isolate that remembers it", async () => {
    const { slug, key, call } = await begun("fine");
    await call("k");
    const admin = adminOf(routers[1], adminToken);
    const [{ id }] = (await admin("GET", `/tenants/${slug}/keys`)).get("data") as [{ id: string }];
    await admin("DELETE", `/tenants/${slug}/keys/${id}`);
    expect(key).toContain("srk_");
    const after = await call("k");
    expect([after.status, after.text.includes(faultyText)]).toEqual([401, false]);
  });

  it("keeps results sealed: none stands in the database in clear", async () => {
    const { call } = await begun("fine");
    await call("the-key-itself");
    const all = await everythingIn(two);
    expect(all).toMatch(/sealed.*v1\./s);
    for (const secret of [
      prompt,
      faultyText,
      "the-key-itself",
      Buffer.from(prompt).toString("base64"),
    ])
      expect([secret, all.includes(secret)]).toEqual([secret, false]);
  });
});

describe("an image of several megabytes", () => {
  let media: MediaProvider;
  let router: SharedRouter;
  beforeAll(async () => {
    [media, router] = await Promise.all([startMediaProvider(), borrowRouter()]);
  });
  afterAll(() => media?.stop());

  it("is given again, though a row may hold only two", async () => {
    const { key } = await createTenant(router, "painter", {
      provider: "openai",
      baseUrl: media.url("openai"),
      policy: { allowedModels: ["openai/gpt-image-1.5"] },
    });
    media.setMode("large");
    const call = () =>
      callOnce(
        router,
        key,
        asking("a red field", { metadata: { "sampling-router/outputModalities": ["image"] } }),
        {
          headers: { "Idempotency-Key": "k" },
          capabilities: { sampling: { supportedModalities: ["text", "image"] } },
        },
      );
    const first = await call();
    expect(String(first.get("result.content.data")).length).toBeGreaterThan(9_000_000);
    const again = await call();
    expect(again.get("result.content.data") === first.get("result.content.data")).toBe(true);
    expect(media.requests()).toHaveLength(1);
  });
});
