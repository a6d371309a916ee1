/** Edits over the admin API: merge patches, and administrators who edit the same thing at once. */
import { describe, expect, it } from "vitest";
import { adminOf, asking, createTenant, openSession, type Answered } from "../fakes/caller.ts";
import { borrowRouter } from "../fakes/shared-router.ts";
import { expectProblem } from "./isolation.ts";

const router = await borrowRouter();
const operator = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
): Promise<Answered> => adminOf(router, router.adminToken)(method, path, body, headers);
const tagOf = (answer: Answered): string => answer.headers.get("etag") ?? "";

async function given(slug: string) {
  const made = await createTenant(router, slug, { provider: "demo" });
  return { ...made, path: `/tenants/${slug}` };
}

describe("a merge patch", () => {
  it("of a policy changes what it names, takes away what it says null of, and leaves the rest", async () => {
    const { path } = await given("patch-policy");
    const first = {
      limits: { usdPerDay: 5, concurrent: 2 },
      maxTokens: 100,
      deniedModels: ["a/*"],
    };
    expect((await operator("PUT", `${path}/policy`, first)).status).toBe(200);
    const patched = await operator(
      "PATCH",
      `${path}/policy`,
      { limits: { usdPerDay: null, requestsPerMinute: 9 }, maxTokens: null },
      { "Content-Type": "application/merge-patch+json" },
    );
    const expected = { limits: { concurrent: 2, requestsPerMinute: 9 }, deniedModels: ["a/*"] };
    expect([patched.status, patched.body]).toEqual([200, expected]);
    expect((await operator("GET", `${path}/policy`)).body).toEqual(expected);
  });

  it.each([
    [{ limits: { concurrent: 0 } }, "limits.concurrent"],
    [{ limits: { perHour: 1 } }, "limits.perHour"],
    [{ madeUp: true }, "madeUp"],
    [{ limits: [] }, "limits"],
  ])("that would make no policy is refused: %j", async (patch, at) => {
    const { path } = await given(`patch-bad-${at.toLowerCase().replace(".", "-")}`);
    await operator("PUT", `${path}/policy`, { maxTokens: 7 });
    const answer = await operator("PATCH", `${path}/policy`, patch);
    expectProblem(answer, 400, "invalid_params");
    expect(answer.get("path")).toBe(at);
    expect((await operator("GET", `${path}/policy`)).body).toEqual({ maxTokens: 7 });
  });

  it("of a key changes name, limits and end, at once, and nothing else", async () => {
    const { path, key, keyId } = await given("patch-key");
    const before = await operator("GET", `${path}/keys/${keyId}`);
    const limited = await operator("PATCH", `${path}/keys/${keyId}`, {
      name: "renamed",
      limits: { requestsPerMinute: 1 },
    });
    expect(limited.body).toEqual({
      ...(before.body as object),
      name: "renamed",
      limits: { requestsPerMinute: 1 },
    });
    const session = await openSession(router, key);
    expect((await session.sample(asking("hello"))).text).toContain('"result"');
    expect((await session.sample(asking("hello"))).get("error.data.limit")).toBe(
      "key.requestsPerMinute",
    );
    const free = await operator("PATCH", `${path}/keys/${keyId}`, {
      limits: { requestsPerMinute: null },
    });
    expect(free.get("limits")).toEqual({});
    expect((await session.sample(asking("hello"))).text).toContain('"result"');
    await operator("PATCH", `${path}/keys/${keyId}`, { expiresAt: 1 });
    expect((await session.sample(asking("hello"))).status).toBe(401);
  });

  it("of a key can't do what a new key couldn't", async () => {
    const { path, keyId } = await given("patch-key-bounds");
    const admin = await operator("POST", `${path}/keys`, {
      name: "for an hour",
      scopes: ["tenant-admin"],
      expiresAt: Date.now() + 3_600_000,
    });
    const byTheHour = adminOf(router, String(admin.get("key")));
    expectProblem(
      await byTheHour("PATCH", `${path}/keys/${keyId}`, { name: "x" }),
      403,
      "forbidden",
    );
    const own = `${path}/keys/${String(admin.get("id"))}`;
    expectProblem(await byTheHour("PATCH", own, { expiresAt: null }), 400, "invalid_params");
    expect((await byTheHour("PATCH", own, { name: "mine" })).get("name")).toBe("mine");
    for (const body of [{}, { scopes: ["tenant-admin"] }, { limits: { concurrent: -1 } }])
      expectProblem(await operator("PATCH", own, body), 400, "invalid_params");
    await operator("DELETE", own);
    expectProblem(await operator("PATCH", own, { name: "late" }), 409, "conflict");
  });
});

describe("two administrators", () => {
  it.each([
    ["policy", "PUT", { maxTokens: 1 }, { maxTokens: 2 }],
    ["policy", "PATCH", { maxTokens: 1 }, { maxTokens: 2 }],
    ["ceiling", "PUT", { limits: { concurrent: 1 } }, { limits: { concurrent: 2 } }],
    ["key", "PATCH", { name: "one" }, { name: "two" }],
    ["credential", "PATCH", { name: "one" }, { name: "two" }],
    ["server", "PATCH", { sampling: "deny" }, { sampling: "client" }],
  ])("who read the same %s and %s it: the second is told", async (what, method, one, two) => {
    const { path, keyId, credentialId } = await given(`two-${what}-${method.toLowerCase()}`);
    const entry = { slug: "s", url: "https://server.test/mcp", sampling: "router" };
    expect((await operator("POST", `${path}/servers`, entry)).status).toBe(201);
    const place: Record<string, string> = {
      key: `keys/${keyId}`,
      credential: `credentials/${credentialId}`,
      server: "servers/s",
    };
    const address = `${path}/${place[what] ?? what}`;
    const tag = tagOf(await operator("GET", address));
    expect(tag).toMatch(/^"[0-9a-f]{32}"$/);
    const first = await operator(method, address, one, { "If-Match": tag });
    const second = await operator(method, address, two, { "If-Match": tag });
    expect([first.status, second.status]).toEqual([200, 412]);
    expectProblem(second, 412, "precondition_failed");
    const now = await operator("GET", address);
    expect(now.body).toEqual(first.body);
    expect(tagOf(now)).toBe(tagOf(first));
    // Something else of the tenant changes, which is nobody's edit of this.
    await operator("PATCH", path, { name: "Renamed" });
    expect(
      (await operator(method, address, two, { "If-Match": `"x", ${tagOf(now)}` })).status,
    ).toBe(200);
  });

  it("who send at once: of 16 changes with the same tag one is taken", async () => {
    const { path } = await given("two-at-once");
    const tag = tagOf(await operator("GET", `${path}/policy`));
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, at) =>
        operator("PUT", `${path}/policy`, { maxTokens: at + 1 }, { "If-Match": tag }),
      ),
    );
    const heard = answers.filter(({ status }) => status === 200);
    expect(heard).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(15);
    expect((await operator("GET", `${path}/policy`)).body).toEqual(heard[0]?.body);
  });

  it("who patch different members at once: both changes are kept", async () => {
    const { path } = await given("two-merge");
    const patches = [
      { maxTokens: 5 },
      { limits: { concurrent: 3 } },
      { limits: { usdPerDay: 2 } },
      { previews: "never" },
      { deadlineMs: 2_000 },
    ];
    const answers = await Promise.all(
      patches.map((patch) => operator("PATCH", `${path}/policy`, patch)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await operator("GET", `${path}/policy`)).body).toEqual({
      maxTokens: 5,
      limits: { concurrent: 3, usdPerDay: 2 },
      previews: "never",
      deadlineMs: 2_000,
    });
  });

  it("need no If-Match: without If-Match, or with *, the last change wins", async () => {
    const { path } = await given("two-last");
    await operator("PUT", `${path}/policy`, { maxTokens: 1 });
    await operator("PUT", `${path}/policy`, { maxTokens: 2 }, { "If-Match": "*" });
    expect((await operator("GET", `${path}/policy`)).body).toEqual({ maxTokens: 2 });
    const weak = `W/${tagOf(await operator("GET", `${path}/policy`))}`;
    const answer = await operator("PUT", `${path}/policy`, {}, { "If-Match": weak });
    expectProblem(answer, 412, "precondition_failed");
  });
});

describe("a policy's dry run", () => {
  it("says what would change of the last decisions, and changes nothing", async () => {
    const { path, key } = await given("policy-trial");
    const session = await openSession(router, key);
    const answer = await session.sample(asking("hello"));
    expect(answer.text).toContain('"result"');
    const [record] = (await operator("GET", `${path}/requests`)).get("data") as {
      id: string;
      model: string;
    }[];
    const dryRun = (policy: object) => operator("POST", `${path}/policy/dry-run`, { policy });
    expect((await dryRun({ maxTokens: 4_000, toolRounds: 3 })).body).toMatchObject({
      decisions: 1,
      changed: 0,
      newlyRefused: 0,
      notReplayed: ["toolRounds"],
      data: [{ id: record?.id, recorded: record?.model, after: { model: record?.model } }],
    });
    expect((await dryRun({ deniedModels: [record?.model] })).body).toMatchObject({
      changed: 1,
      data: [{ before: { model: record?.model }, isChanged: true, excludedBy: "not_allowed" }],
    });
    expect((await dryRun({ allowedModels: [] })).body).toMatchObject({
      newlyRefused: 1,
      data: [{ after: { model: null, refused: { reason: "no_eligible_model" } } }],
    });
    expect((await operator("GET", `${path}/policy`)).body).toEqual({});
    await operator("PUT", `${path}/ceiling`, { limits: { usdPerDay: 1 } });
    const beyond = await dryRun({ limits: { usdPerDay: 2 } });
    expectProblem(beyond, 400, "invalid_params");
    expect(beyond.get("path")).toBe("policy.limits.usdPerDay");
  });

  it("lists the changed limits that current usage reaches", async () => {
    const { path, key } = await given("policy-trial-used");
    const limitsOf = (requestsPerDay: number) => ({ limits: { requestsPerDay, usdPerDay: 900 } });
    await operator("PATCH", `${path}/policy`, limitsOf(9));
    await (await openSession(router, key)).sample(asking("hello"));
    const usedUpUnder = async (policy: object) =>
      (await operator("POST", `${path}/policy/dry-run`, { policy })).get("usedUp");
    const subject = (await operator("GET", path)).get("id");
    expect(await usedUpUnder(limitsOf(1))).toMatchObject([
      { name: "tenant.requestsPerDay", subject, limit: 1, used: 1, left: 0 },
    ]);
    expect(await usedUpUnder(limitsOf(2))).toEqual([]);
    await operator("PATCH", `${path}/policy`, limitsOf(1));
    // What the current policy has used up, too, isn't a change.
    expect(await usedUpUnder(limitsOf(1))).toEqual([]);
  });
});
