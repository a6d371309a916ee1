/** Prompt caching through the whole product. The provider is a fake: what it counts is simulated. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startCachingProvider, type CachingProvider } from "../fakes/caching-provider.ts";
import { adminOf, asking, callOnce, createTenant, type Answered } from "../fakes/caller.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { manyTools, prose, tokensByClass } from "../fixtures/caching-loop.ts";

let router: SharedRouter;
let fake: CachingProvider;
beforeAll(async () => {
  fake = await startCachingProvider({ now: Date.now, toolRounds: 3 });
  router = await borrowRouter();
});
afterAll(async () => {
  await fake.stop();
});
beforeEach(() => fake.clear());

const tenant = async (slug: string, policy: Record<string, unknown> = {}) => {
  const { key } = await createTenant(router, slug, {
    provider: "anthropic",
    baseUrl: fake.url("anthropic"),
    policy: { allowedModels: ["anthropic/claude-sonnet-4-5"], ...policy },
  });
  return { key, admin: adminOf(router, router.adminToken), path: `/tenants/${slug}` };
};

const marks = (): number[] =>
  fake.requests().map((body) => JSON.stringify(body).split('"cache_control"').length - 1);

const capabilities = { sampling: { tools: {} } };

const withoutOrigin = (answer: Answered): unknown[] =>
  [answer.get("result.content")]
    .flat()
    .map((block) => ({ ...(block as object), _meta: undefined }));

/** Drives a tool loop as a server does: asks, runs the tools, asks again with the whole history. */
async function loop(key: string): Promise<Answered[]> {
  const messages: unknown[] = [{ role: "user", content: { type: "text", text: "Read it to me." } }];
  const answers: Answered[] = [];
  for (;;) {
    const answer = await callOnce(
      router,
      key,
      {
        messages,
        maxTokens: 100,
        tools: manyTools,
        systemPrompt: prose(200, "The handbook"),
      },
      { capabilities },
    );
    answers.push(answer);
    if (answer.get("result.stopReason") !== "toolUse") return answers;
    // The origin of a tool use differs between tenants, since each has its own credential.
    const uses = withoutOrigin(answer) as { id: string }[];
    messages.push(
      { role: "assistant", content: uses },
      {
        role: "user",
        content: uses.map(({ id }) => ({
          type: "tool_result",
          toolUseId: id,
          content: [{ type: "text", text: prose(200, id) }],
        })),
      },
    );
  }
}

/**
 * A second later, which is when an entry of a provider's cache counts as readable: time is part of what is tested. What
 * is sent at the same time repeats nothing that a cache could serve yet.
 */
async function callLater(key: string, params: Record<string, unknown>): Promise<Answered> {
  await new Promise((resolve) => setTimeout(resolve, 1_050));
  return callOnce(router, key, params);
}

const said = (answers: readonly Answered[]): unknown[] =>
  answers.map((answer) => [withoutOrigin(answer), answer.get("result.stopReason")]);

describe("a tool loop", () => {
  it("is marked from its second round on, answered and recorded the same as without marks", async () => {
    const auto = await tenant("loop-auto");
    const off = await tenant("loop-off", { promptCaching: "off" });
    const marked = await loop(auto.key);
    expect(marked.at(-1)?.get("result.stopReason")).toBe("endTurn");
    expect(marks()).toEqual([0, 3, 3, 3]);
    const usages = fake.usages().map((usage) => tokensByClass([usage]));
    expect(usages[2]?.read).toBe(usages[1]?.written);
    expect(usages[3]?.plain).toBe(0);

    fake.clear();
    const plain = await loop(off.key);
    expect(marks()).toEqual([0, 0, 0, 0]);
    expect(said(marked)).toEqual(said(plain));

    const contents = async ({ admin, path }: typeof auto): Promise<unknown[]> => {
      const listed = await admin("GET", `${path}/requests`);
      return (listed.get("data") as { contentSha256: string }[]).map((each) => each.contentSha256);
    };
    expect(await contents(auto)).toEqual(await contents(off));
    expect((await contents(auto)).every((hash) => typeof hash === "string")).toBe(true);
  });
});

describe("a system prompt that repeats", () => {
  const asked = (text: string) => asking(text, { systemPrompt: prose(700, "The handbook") });

  it("is marked for the tenant that repeats it, and not for its neighbour", async () => {
    const [first, second] = [await tenant("repeats"), await tenant("neighbour")];
    await callOnce(router, first.key, asked("one"));
    await callOnce(router, second.key, asked("one"));
    await callLater(first.key, asked("two"));
    await callLater(first.key, asked("three"));
    expect(marks()).toEqual([0, 0, 1, 1]);
    expect(tokensByClass(fake.usages().slice(3)).read).toBeGreaterThan(1_024);
  });

  it("is marked together with the sentences of the tenant's rules", async () => {
    const rules = ["first", "second", "third"].map((which) => ({
      when: [],
      set: { systemPromptSuffix: prose(120, `The ${which} house rule`) },
    }));
    const { key } = await tenant("rules", { rules });
    for (const text of ["one", "two", "three"]) await callLater(key, asking(text));
    expect(marks()).toEqual([0, 1, 1]);
    expect(tokensByClass(fake.usages()).read).toBeGreaterThan(1_024);
  });

  it("is marked as soon as the policy allows it again", async () => {
    const { key, admin, path } = await tenant("switched", { promptCaching: "off" });
    await callOnce(router, key, asked("one"));
    await callLater(key, asked("two"));
    const policy = (await admin("GET", `${path}/policy`)).body as Record<string, unknown>;
    expect(policy).toMatchObject({ promptCaching: "off" });
    await admin("PUT", `${path}/policy`, { ...policy, promptCaching: "auto" });
    await callOnce(router, key, asked("three"));
    await callLater(key, asked("four"));
    expect(marks()).toEqual([0, 0, 0, 1]);
  });
});

describe("the policy's field", () => {
  it("takes auto and off, and nothing else", async () => {
    const { admin, path } = await tenant("field");
    for (const promptCaching of ["auto", "off"])
      expect((await admin("PUT", `${path}/policy`, { promptCaching })).status).toBe(200);
    for (const promptCaching of ["on", true, null, ""])
      expect((await admin("PUT", `${path}/policy`, { promptCaching })).status).toBe(400);
    const { text } = await admin("GET", "/openapi.json");
    expect(text).toContain('"promptCaching"');
  });
});
