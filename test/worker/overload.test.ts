/**
 * A tenant's object is overloaded, or a deployment resets it: what callers of the Worker hear, and how often object and
 * provider are asked.
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { DurableObjectNamespace } from "@cloudflare/workers-types";
import { databaseOf } from "../../src/domain/tenancy/database-names.ts";
import type { Outcome } from "../../src/store/engines/contract/engine.ts";
import type { DatabaseObject } from "../../src/store/engines/durable/stub-engine.ts";
import worker from "../../src/worker.ts?overload";
import {
  adminOf,
  asking,
  callOnce,
  createTenant,
  openSession,
  until,
  type SamplingCaller,
} from "../fakes/caller.ts";

type Asked = "admit" | "settle";
/** how often an entry of each kind reached a stub, and how many of the next ones find the object overloaded */
const asked = { admit: 0, settle: 0 };
const overloads = { admit: 0, settle: 0 };
let providerCalls = 0;
/** The provider answers after it. */
let providerWaits = Promise.resolve();

/** As the runtime throws it. Nothing reached the object. */
const overloaded = () =>
  Object.assign(new Error("Durable Object is overloaded. Too many requests queued."), {
    overloaded: true,
    retryable: true,
  });

const namespace = {
  idFromName: (name: string) => env.DATABASES.idFromName(name),
  getByName(name: string): DatabaseObject {
    const object = env.DATABASES.getByName(name) as unknown as DatabaseObject;
    return {
      read: (statements) => object.read(statements),
      async write(job): Promise<Outcome> {
        const kind: Asked | null = "kind" in job ? job.kind : null;
        if (kind === null) return object.write(job);
        asked[kind] += 1;
        if (overloads[kind] === 0) return object.write(job);
        overloads[kind] -= 1;
        throw overloaded();
      },
    };
  },
};
const router = { url: "https://router.test", adminToken: "of-the-tests-of-overload" };
const bindings = {
  ...env,
  ADMIN_TOKEN: router.adminToken,
  DATABASES: namespace as unknown as DurableObjectNamespace,
};

const answer = {
  id: "1",
  object: "chat.completion",
  created: 1,
  model: "gpt-4o",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
};

const realFetch = globalThis.fetch;
const admin = adminOf(router, router.adminToken);
let caller: SamplingCaller;
beforeAll(async () => {
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    if (new URL(request.url).host === "router.test") return worker.fetch(request, bindings);
    // The list of models, which is read once a day after an answer.
    if (request.method === "GET") return Response.json({ data: [] });
    providerCalls += 1;
    await providerWaits;
    return Response.json(answer);
  };
  const { key } = await createTenant(router, "busy", { provider: "openai" });
  caller = await openSession(router, key);
  return () => void (globalThis.fetch = realFetch);
});
beforeEach(() => {
  Object.assign(asked, { admit: 0, settle: 0 });
  providerCalls = 0;
});
afterEach(() => Object.assign(overloads, { admit: 0, settle: 0 }));

const records = async (slug = "busy") =>
  (await admin("GET", `/tenants/${slug}/requests`)).get("data") as { outcome: string }[];

describe("an overloaded object", () => {
  it("refuses an admission as unavailable with a time to wait, and calls no provider", async () => {
    overloads.admit = 1;
    const refused = await caller.sample(asking("Say hello."));
    expect(refused.get("error")).toMatchObject({
      code: -503,
      data: { reason: "unavailable", retryAfterMs: 1_000, retryable: true },
    });
    expect(asked).toEqual({ admit: 1, settle: 0 });
    expect(providerCalls).toBe(0);
    expect(await records()).toEqual([]);
  });

  it("admits the caller's next try, which calls the provider once", async () => {
    overloads.admit = 1;
    await caller.sample(asking("Say hello."));
    const answered = await caller.sample(asking("Say hello."));
    expect(answered.get("result")).toMatchObject({ content: { text: "Hello." } });
    expect(asked.admit).toBe(2);
    expect(providerCalls).toBe(1);
  });

  it("delays a settlement, while the answer goes out and one record is written", async () => {
    const before = (await records()).length;
    overloads.settle = 1;
    const answered = await caller.sample(asking("Say hello."));
    expect(answered.get("result")).toMatchObject({ content: { text: "Hello." } });
    await vi.waitFor(async () => expect((await records())[0]?.outcome).toBe("succeeded"));
    expect(asked).toEqual({ admit: 1, settle: 2 });
    expect(providerCalls).toBe(1);
    expect(await records()).toHaveLength(before + 1);
  });
});

describe("an object that a deployment resets while providers are asked", () => {
  it("settles each call once, answers all of them, and counts them in the limit", async () => {
    const { key } = await createTenant(router, "deployed", {
      provider: "openai",
      policy: { limits: { requestsPerMinute: 8 } },
    });
    const name = databaseOf(String((await admin("GET", "/tenants/deployed")).get("id")));
    const answers = Promise.withResolvers<void>();
    providerWaits = answers.promise;
    const call = () => callOnce(router, key, asking("Say hello."));
    const calls = Array.from({ length: 6 }, call);
    await until(() => (providerCalls === 6 ? true : undefined));
    await runInDurableObject(env.DATABASES.getByName(name), (_, state) =>
      state.abort("reset by a test"),
    ).catch(() => {});
    answers.resolve();
    for (const answered of await Promise.all(calls))
      expect(answered.get("result")).toMatchObject({ content: { text: "Hello." } });
    const booked = await records("deployed");
    expect(booked.map(({ outcome }) => outcome)).toEqual(Array(6).fill("succeeded"));
    const next = await Promise.all(Array.from({ length: 3 }, call));
    const refused = next.filter((each) => each.get("error") !== undefined);
    expect(refused.map((each) => each.get("error.data.reason"))).toEqual(["rate_limited"]);
    expect(providerCalls).toBe(8);
  });
});
