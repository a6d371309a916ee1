/** A tenant's object is overloaded: what a caller of the Worker hears, and how often object and provider are asked. */
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { DurableObjectNamespace, ExecutionContext } from "@cloudflare/workers-types";
import type { Outcome } from "../../src/store/engine.ts";
import type { DatabaseObject } from "../../src/store/durable/stub-engine.ts";
import worker from "../../src/worker.ts";
import {
  adminOf,
  asking,
  createTenant,
  openSession,
  type SamplingCaller,
} from "../fakes/caller.ts";

type Asked = "admit" | "settle";
/** how often an entry of each kind reached a stub, and how many of the next ones find the object overloaded */
const asked = { admit: 0, settle: 0 };
const overloads = { admit: 0, settle: 0 };
let providerCalls = 0;

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
const context = { waitUntil: () => {} } as unknown as ExecutionContext;

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
    if (new URL(request.url).host === "router.test")
      return worker.fetch(request, bindings, context);
    providerCalls += 1;
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

const records = async () =>
  (await admin("GET", "/tenants/busy/requests")).get("data") as { outcome: string }[];

describe("an overloaded object", () => {
  it("refuses an admission as unavailable, with a time to wait, and nobody is asked twice or called", async () => {
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

  it("takes the caller's next try, which calls the provider once", async () => {
    overloads.admit = 1;
    await caller.sample(asking("Say hello."));
    const answered = await caller.sample(asking("Say hello."));
    expect(answered.get("result")).toMatchObject({ content: { text: "Hello." } });
    expect(asked.admit).toBe(2);
    expect(providerCalls).toBe(1);
  });

  it("delays a settlement, but neither the answer nor its one record", async () => {
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
