/** Calls that wait for a person, over HTTP: held, shown, approved, denied, and joined by their key. */
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  adminOf,
  answered,
  asking,
  callOnce,
  createTenant,
  nextId,
  openSession,
  type Answered,
  type SamplingCaller,
} from "../fakes/caller.ts";
import { startFaultyProvider, type FaultyProvider } from "../fakes/faulty-provider.ts";
import { until } from "../fakes/proxied.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

type Admin = ReturnType<typeof adminOf>;

describe("a call that needs approval", () => {
  let router: SharedRouter;
  let operator: Admin;
  beforeAll(async () => {
    router = await borrowRouter();
    operator = adminOf(router, router.adminToken);
  });

  const tenantWith = async (slug: string, approval: unknown, more: object = {}) => {
    const { key } = await createTenant(router, slug, {
      provider: "demo",
      policy: { approval, ...more },
    });
    return { key, session: await openSession(router, key) };
  };

  let sentId = 0;
  const send = (
    session: SamplingCaller,
    text: string,
    headers: Record<string, string> = {},
  ): Promise<Answered> =>
    session.send(
      JSON.stringify({
        jsonrpc: "2.0",
        id: (sentId = nextId()),
        method: "sampling/createMessage",
        params: asking(text),
      }),
      headers,
    );

  /** The held call, once there is one. */
  const held = async (slug: string, state = "waiting"): Promise<Answered> => {
    for (;;) {
      const list = await operator("GET", `/tenants/${slug}/approvals?state=${state}`);
      const id = list.get("data.0.requestId");
      if (typeof id === "string") return operator("GET", `/tenants/${slug}/approvals/${id}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  const decide = (slug: string, shown: Answered, decision: object, by: Admin = operator) =>
    by("POST", `/tenants/${slug}/approvals/${String(shown.get("requestId"))}`, {
      contentHash: shown.get("contentHash"),
      ...decision,
    });

  it("is known before it is made: a dry run says why it would wait, and what it may cost", async () => {
    const when = { models: ["demo/*"], costUsdAbove: 1_000 };
    const { key } = await tenantWith("ask-dry", { mode: "both", when });
    const route = async () => {
      const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
      const body = JSON.stringify(asking("May I?"));
      const init = { method: "POST", headers, body };
      return (await answered(await fetch(`${router.url}/v1/route`, init))).get("approval");
    };
    expect(await route()).toEqual({
      stages: ["request", "result"],
      conditions: [{ name: "models", matches: ["demo/*"] }],
      maxCostUsd: expect.any(Number),
    });
    const approval = { when: { models: ["other/*"] } };
    await operator("PATCH", "/tenants/ask-dry/policy", { approval });
    await expect.poll(route).toBeUndefined();
  });

  // cites: S-021
  it("shows who asks for what, and runs once it is approved", async () => {
    const { session, key } = await tenantWith("ask-approve", { mode: "request" });
    const asked = send(session, "May I?");
    const shown = await held("ask-approve");
    expect(shown.body).toMatchObject({
      stage: "request",
      state: "waiting",
      conditions: [],
      decidedBy: null,
      content: {
        server: null,
        call: { messages: [{ role: "user", content: [{ type: "text", text: "May I?" }] }] },
        estimate: { outputTokens: expect.any(Number) },
      },
    });
    const listed = await operator("GET", "/tenants/ask-approve/approvals?state=waiting");
    expect(listed.get("data.0")).toMatchObject({
      model: shown.get("content.model"),
      maxCostUsd: shown.get("content.reservedUsd"),
      user: null,
    });
    const waiting = async (): Promise<unknown> =>
      (await operator("GET", "/tenants/ask-approve")).get("waitingApprovals");
    expect(await waiting()).toBe(1);
    const approved = await decide("ask-approve", shown, { decision: "approve", reason: "Fine." });
    expect(await waiting()).toBe(0);
    expect(approved.body).toMatchObject({ decidedBy: "operator", comment: "Fine." });
    const answer = await asked;
    expect(answer.get("result.content.text")).toBeDefined();
    const id = String(shown.get("requestId"));
    const record = await adminOf(router, key)("GET", `/tenants/ask-approve/requests/${id}`);
    expect(record.body).toMatchObject({
      outcome: "succeeded",
      decision: { approvals: [{ stage: "request", verdict: "approved", by: "operator" }] },
    });
    // Why this model: the others stand beside it, and none of them may answer in its place.
    const { candidates, failover } = record.get("decision") as {
      candidates: { provider: string; model: string; excludedBy?: string }[];
      failover: unknown[];
    };
    const able = candidates.filter(({ excludedBy }) => excludedBy === undefined);
    expect([able.length, failover.length]).toEqual([2, 1]);
    expect(record.get("timing.approve")).toBeGreaterThan(0);
    const events = (await operator("GET", "/tenants/ask-approve/events")).get("data") as {
      action: string;
    }[];
    expect(events.map(({ action }) => action)).toContain("approval.approve");
    expect((await decide("ask-approve", shown, { decision: "deny" })).get("reason")).toBe(
      "conflict",
    );
  });

  // cites: S-016, S-017
  it("is refused and costs nothing once it is denied, and so is its repetition", async () => {
    const { session } = await tenantWith("ask-deny", { mode: "request" });
    const header = { "Idempotency-Key": "one" };
    const asked = send(session, "May I?", header);
    const shown = await held("ask-deny");
    const explanation = "Use the smaller model.";
    for (const wrong of [
      { decision: "approve", explanation },
      { decision: "deny", explanation: "two\nlines" },
      { decision: "deny", explanation: "x".repeat(501) },
    ])
      expect((await decide("ask-deny", shown, wrong)).get("reason")).toBe("invalid_params");
    await decide("ask-deny", shown, { decision: "deny", reason: "No.", explanation });
    for (const answer of [await asked, await send(session, "May I?", header)]) {
      expect(answer.get("error.code")).toBe(-1);
      expect(answer.get("error.message")).toBe(`User rejected sampling request: ${explanation}`);
      expect(answer.get("error.data")).toMatchObject({
        reason: "user_rejected",
        by: "approver",
        explanation,
      });
    }
    const record = await operator(
      "GET",
      `/tenants/ask-deny/requests/${String(shown.get("requestId"))}`,
    );
    expect(record.body).toMatchObject({
      outcome: "failed",
      reason: "user_rejected",
      reasonDetail: "request denied by operator",
      costUsd: 0,
    });
  });

  it("gives its caller an idempotency key, and answers the caller who comes back with that key", async () => {
    const { session } = await tenantWith("ask-later", { mode: "request" });
    const pending = await send(session, "Later?", { Prefer: "wait=0" });
    expect(pending.get("error.code")).toBe(-202);
    const key = String(pending.get("error.data.idempotencyKey"));
    expect(pending.get("error.data")).toMatchObject({ reason: "approval_pending" });
    const header = { "Idempotency-Key": key };
    const again = await send(session, "Later?", { ...header, Prefer: "wait=0" });
    expect(again.get("error.data.reason")).toBe("approval_pending");
    const other = await send(session, "Another question", header);
    expect(other.get("error.data.reason")).toBe("idempotency_conflict");
    const shown = await held("ask-later");
    expect(shown.get("requestId")).toBe(key);
    const listed = async () =>
      (await operator("GET", "/tenants/ask-later/requests?held=true")).get("data.0");
    expect(await listed()).toMatchObject({ id: key, held: true });
    expect(await listed()).not.toHaveProperty("approved");
    await decide("ask-later", shown, { decision: "approve" });
    expect(await listed()).toMatchObject({ id: key, held: true, approved: true });
    const record = await operator("GET", `/tenants/ask-later/requests/${key}`);
    expect(record.body).toMatchObject({ outcome: "admitted", approved: true });
    const answers = await Promise.all([1, 2, 3].map(() => send(session, "Later?", header)));
    for (const answer of answers) expect(answer.get("result.content.text")).toBeDefined();
    const list = await operator("GET", "/tenants/ask-later/requests");
    const ended = (list.get("data") as { outcome: string }[]).map(({ outcome }) => outcome);
    expect(ended.filter((outcome) => outcome === "succeeded")).toHaveLength(1);
  });

  it("can't be decided by the calling key, by another tenant, or for other content", async () => {
    const { session, key } = await tenantWith("ask-self", { mode: "request" });
    const { key: foreign } = await createTenant(router, "ask-other", { provider: "demo" });
    await send(session, "Mine?", { Prefer: "wait=0" });
    const shown = await held("ask-self");
    const decision = { decision: "approve" };
    const own = await decide("ask-self", shown, decision, adminOf(router, key));
    expect([own.status, own.get("reason")]).toEqual([403, "forbidden"]);
    const other = await decide("ask-self", shown, decision, adminOf(router, foreign));
    expect(other.status).toBe(404);
    const wrong = { ...decision, contentHash: "0".repeat(64) };
    expect((await decide("ask-self", shown, wrong)).status).toBe(409);
    expect((await held("ask-self")).get("state")).toBe("waiting");
  });

  it("is withdrawn by its caller's cancellation, and by a modern caller that leaves", async () => {
    const path = "/tenants/ask-leave";
    const { session, key } = await tenantWith("ask-leave", { mode: "request" });
    const asked = send(session, "Never mind");
    const first = await held("ask-leave");
    await session.send(
      JSON.stringify({
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: sentId },
      }),
    );
    expect((await asked).get("error.data.reason")).toBe("cancelled");
    expect((await held("ask-leave", "withdrawn")).get("decidedBy")).toBe("caller");
    expect((await decide("ask-leave", first, { decision: "approve" })).status).toBe(409);

    // A legacy caller that leaves has not cancelled.
    const stays = new AbortController();
    const left = session.sample(asking("I come back"), stays.signal).catch(() => null);
    const second = await held("ask-leave");
    stays.abort();
    await left;
    const leaves = new AbortController();
    const body = asking("I do not");
    // The Workers runtime notices a closed connection when it writes, and it writes to event streams.
    const headers = { Accept: "application/json, text/event-stream" };
    const gone = callOnce(router, key, body, { headers, signal: leaves.signal }).catch(() => null);
    const waiting = async () =>
      (await operator("GET", `${path}/approvals?state=waiting`)).get("data") as {
        requestId: string;
      }[];
    while ((await waiting()).length < 2) await new Promise((resolve) => setTimeout(resolve, 50));
    leaves.abort();
    await gone;
    while ((await waiting()).length > 1) await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await waiting()).map(({ requestId }) => requestId)).toEqual([second.get("requestId")]);
    const records = async () =>
      (await operator("GET", `${path}/requests`)).get("data") as { outcome: string; id: string }[];
    // The call's record is completed after the call is withdrawn.
    await until(async () => (await records())[0]?.outcome === "cancelled");
    const [last, ...others] = await records();
    expect(others.map(({ outcome }) => outcome)).toEqual(["admitted", "cancelled"]);
    const record = await operator("GET", `${path}/requests/${String(last?.id)}`);
    expect(record.body).toMatchObject({ costUsd: 0, reasonDetail: "request withdrawn by caller" });
  });

  it("doesn't begin under a kill switch, and runs for the caller who returns once it is lifted", async () => {
    const { session } = await tenantWith("ask-stop", { mode: "request" });
    const path = "/tenants/ask-stop";
    const header = { "Idempotency-Key": "stop" };
    const asked = send(session, "Go on?", header);
    const shown = await held("ask-stop");
    await operator("PATCH", `${path}/policy`, { stopped: { tenant: "An accident." } });
    await decide("ask-stop", shown, { decision: "approve" });
    expect((await asked).get("error.data.reason")).toBe("stopped");
    const record = () => operator("GET", `${path}/requests/${String(shown.get("requestId"))}`);
    expect((await record()).body).toMatchObject({ outcome: "admitted", approved: true });
    await operator("PATCH", `${path}/policy`, { stopped: null });
    expect((await send(session, "Go on?", header)).get("result")).toBeDefined();
    expect((await record()).get("outcome")).toBe("succeeded");
  });

  it("has ended for both of two callers with its key once one of them cancels", async () => {
    const { session } = await tenantWith("ask-twice", { mode: "request" });
    const header = { "Idempotency-Key": "twice" };
    const first = send(session, "Never mind", header);
    await held("ask-twice");
    const second = send(session, "Never mind", header);
    const params = { requestId: sentId };
    const method = "notifications/cancelled";
    await session.send(JSON.stringify({ jsonrpc: "2.0", method, params }));
    for (const answer of await Promise.all([first, second]))
      expect(answer.get("error.data.reason")).toBe("cancelled");
    const list = await operator("GET", "/tenants/ask-twice/approvals");
    expect(list.get("data")).toMatchObject([{ state: "withdrawn" }]);
  });

  it("is told of while another tenant's receiver doesn't answer, and holds two places", async () => {
    const silent = new Set<Socket>();
    let left = 0;
    const receiver = createServer((request, response) => {
      if (request.url === "/hook") return void response.writeHead(204).end();
      silent.add(request.socket.on("close", () => (left += 1)));
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    const [first, second] = await Promise.all(
      ["silent", "hook"].map(async (name) => {
        const path = `/tenants/ask-${name}`;
        const approval = { mode: "request", webhookUrl: `${url}/${name}` };
        const { session } = await tenantWith(`ask-${name}`, approval);
        await operator("POST", `${path}/webhooks/secret`);
        return session;
      }),
    );
    if (first === undefined || second === undefined) throw new Error("two tenants");
    const asked = Array.from({ length: 6 }, () => send(first, "Wait"));
    while (silent.size < 2) await once(receiver, "request");
    const other = send(second, "Tell");
    const shown = await held("ask-hook");
    while (
      (await operator("GET", "/tenants/ask-hook/webhooks")).get("data.0.state") !== "delivered"
    )
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect([silent.size, left]).toEqual([2, 0]);
    await decide("ask-hook", shown, { decision: "deny" });
    await other;
    for (const slug of ["ask-silent", "ask-hook"]) await operator("DELETE", `/tenants/${slug}`);
    receiver.closeAllConnections();
    receiver.close();
    await Promise.all(asked);
  });

  it("is told of in signed messages without its content, when it is held and when it ends", async () => {
    const got: { headers: IncomingHttpHeaders; body: string }[] = [];
    const receiver = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        got.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
        response.writeHead(204).end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    const { port } = receiver.address() as AddressInfo;
    const webhookUrl = `http://127.0.0.1:${port}/hook`;
    const { session } = await tenantWith("ask-told", { mode: "request", webhookUrl });
    const path = "/tenants/ask-told";
    const secrets: string[] = [];
    for (const _ of [1, 2])
      secrets.push(String((await operator("POST", `${path}/webhooks/secret`)).get("secret")));
    const asked = send(session, "Nobody else reads this");
    const shown = await held("ask-told");
    await decide("ask-told", shown, { decision: "deny" });
    await asked;
    const states = async (): Promise<unknown[]> =>
      ((await operator("GET", `${path}/webhooks`)).get("data") as { state: string }[]).map(
        ({ state }) => state,
      );
    while ((await states()).join() !== "delivered,delivered")
      await new Promise((resolve) => setTimeout(resolve, 50));
    const types = got.map(({ body }) => (JSON.parse(body) as { type: string }).type);
    expect(types.toSorted()).toEqual(["approval.denied", "approval.held"]);
    for (const { headers, body } of got) {
      const signed = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
      expect(String(headers["webhook-signature"]).split(" ")).toEqual(
        secrets.toReversed().map((secret) => {
          const key = Buffer.from(secret.slice("whsec_".length), "base64");
          return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
        }),
      );
      expect(JSON.parse(body)).toMatchObject({
        data: { requestId: shown.get("requestId"), tenant: "ask-told", stage: "request" },
      });
      expect(body).not.toContain("Nobody else");
    }
    receiver.close();
    const wrong = await operator("PATCH", `${path}/policy`, {
      approval: { webhookUrl: "ftp://hooks.test/" },
    });
    expect(wrong.get("path")).toBe("approval.webhookUrl");
  });

  it("is held by what its rule names alone", async () => {
    const { session } = await tenantWith("ask-some", {
      mode: "request",
      when: { modalities: ["image"], tools: ["delete"] },
    });
    expect((await send(session, "Just text")).get("result")).toBeDefined();
  });

  it("holds its money, and no place under a limit of concurrency", async () => {
    const { session } = await tenantWith(
      "ask-place",
      { mode: "request" },
      { limits: { concurrent: 1 } },
    );
    const first = await send(session, "One", { Prefer: "wait=0" });
    const second = await send(session, "Two", { Prefer: "wait=0" });
    for (const answer of [first, second])
      expect(answer.get("error.data.reason")).toBe("approval_pending");
    const limits = await operator("GET", "/tenants/ask-place/limits");
    expect(limits.text).toContain("concurrent");
    expect(limits.text).not.toContain('"used":2');
  });

  it("takes its place when it is approved, and is refused to the approver where none is free", async () => {
    const { session } = await tenantWith(
      "ask-full",
      { mode: "request" },
      { limits: { concurrent: 1 } },
    );
    const keyed = (text: string) =>
      send(session, text, { Prefer: "wait=0", "Idempotency-Key": text });
    await keyed("One");
    const one = await held("ask-full");
    await keyed("Two");
    const two = await held("ask-full");
    expect((await decide("ask-full", one, { decision: "approve" })).status).toBe(200);
    const refused = await decide("ask-full", two, { decision: "approve" });
    expect([refused.status, refused.get("reason")]).toEqual([429, "rate_limited"]);
    expect(refused.text).toContain("tenant.concurrent");
    const { requestId, contentHash } = two.body as Record<string, string>;
    expect((await held("ask-full")).body).toMatchObject({
      requestId,
      contentHash,
      state: "waiting",
    });
    expect((await keyed("One")).get("result")).toBeDefined();
    expect((await decide("ask-full", two, { decision: "approve" })).status).toBe(200);
    expect((await keyed("Two")).get("result")).toBeDefined();
  });

  // cites: S-019
  it("is edited by its approver: another prompt, chosen and reserved anew", async () => {
    const provider = await startFaultyProvider({ slowMs: 60_000 });
    const priced = (id: string, usd: number) => ({
      id,
      inputUsdPerMTok: usd,
      outputUsdPerMTok: usd,
    });
    const { key } = await createTenant(router, "ask-edit", {
      provider: "openai-compatible",
      baseUrl: provider.url("openai-compatible"),
      models: [priced("cheap", 1), priced("dear", 1_000)],
      // Room for one call of the cheap model, and not for one of the dear one.
      policy: { approval: { mode: "request" }, limits: { usdPerDay: 0.02 }, maxAttempts: 1 },
    });
    const session = await openSession(router, key);
    const asked = send(session, "Write to everybody");
    const shown = await held("ask-edit");
    const cheap = "openai-compatible/cheap";
    expect(shown.get("content.model")).toBe(cheap);
    expect(shown.get("content.alternatives")).toEqual(["openai-compatible/dear"]);
    const messages = [{ role: "user", content: [{ type: "text", text: "Write to Kim alone" }] }];
    const tooDear = { model: "openai-compatible/dear" };
    const refused = await decide("ask-edit", shown, { decision: "approve", edited: tooDear });
    expect(refused.get("reason")).toBe("budget_exceeded");
    expect((await held("ask-edit")).get("state")).toBe("waiting");
    const wrong = await decide("ask-edit", shown, { decision: "deny", edited: { messages } });
    expect(wrong.status).toBe(400);
    const approved = await decide("ask-edit", shown, {
      decision: "approve",
      edited: { messages, model: cheap },
    });
    expect(approved.status).toBe(200);
    expect(approved.get("edited.content")).toMatch(/^[0-9a-f]{64}$/);
    expect((await asked).get("result.model")).toBe(cheap);
    expect(JSON.stringify(provider.requests())).toContain("Write to Kim alone");
    expect(JSON.stringify(provider.requests())).not.toContain("everybody");
    const id = String(shown.get("requestId"));
    const record = await operator("GET", `/tenants/ask-edit/requests/${id}`);
    expect(record.get("decision.approvals")).toMatchObject([
      { verdict: "approved", edited: { content: approved.get("edited.content") } },
    ]);
    await provider.stop();
  });

  it("is edited within the budget of the person who asks, and charged there", async () => {
    const provider = await startFaultyProvider({ slowMs: 60_000 });
    const priced = (id: string, usd: number) => ({
      id,
      inputUsdPerMTok: usd,
      outputUsdPerMTok: usd,
    });
    await createTenant(router, "ask-person", {
      provider: "openai-compatible",
      baseUrl: provider.url("openai-compatible"),
      models: [priced("cheap", 1), priced("dear", 1_000)],
      policy: { approval: { mode: "request" }, perUser: { usdPerDay: 0.02 }, maxAttempts: 1 },
    });
    const person = { issuer: "https://people.test", subject: "kim" };
    const userId = (await operator("POST", "/tenants/ask-person/users", person)).get("id");
    const made = { name: "kim", scopes: ["sampling"], userId };
    const key = (await operator("POST", "/tenants/ask-person/keys", made)).get("key");
    const asked = send(await openSession(router, String(key)), "Write to everybody");
    const shown = await held("ask-person");
    const tooDear = { model: "openai-compatible/dear" };
    const refused = await decide("ask-person", shown, { decision: "approve", edited: tooDear });
    expect([refused.get("reason"), refused.get("limit")]).toEqual([
      "budget_exceeded",
      "user.usdPerDay",
    ]);
    // One block in place of a list, as MCP allows it.
    const messages = [{ role: "user", content: { type: "text", text: "Write to Kim alone" } }];
    const edited = await decide("ask-person", shown, { decision: "approve", edited: { messages } });
    expect(edited.status, edited.text).toBe(200);
    expect((await asked).get("result.model")).toBe("openai-compatible/cheap");
    const path = `/tenants/ask-person/limits?limit=200`;
    const limits = (await operator("GET", path)).get("data") as { name: string; used: number }[];
    expect(limits.find(({ name }) => name === "user.usdPerDay")?.used).toBeGreaterThan(0);
    await provider.stop();
  });

  describe("in the result of which a person has a say", () => {
    const priced = { id: "one", inputUsdPerMTok: 2, outputUsdPerMTok: 10 };
    let provider: FaultyProvider;
    beforeAll(async () => {
      provider = await startFaultyProvider({ slowMs: 60_000 });
    });
    afterAll(() => provider?.stop());

    const payingTenant = async (slug: string, approval: unknown) => {
      const { key } = await createTenant(router, slug, {
        provider: "openai-compatible",
        baseUrl: provider.url("openai-compatible"),
        models: [priced],
        policy: { approval },
      });
      return openSession(router, key);
    };
    const recordOf = (slug: string, shown: Answered) =>
      operator("GET", `/tenants/${slug}/requests/${String(shown.get("requestId"))}`);

    it("gives back all that it held where its request is denied", async () => {
      const session = await payingTenant("ask-back", { mode: "request" });
      await operator("PATCH", "/tenants/ask-back/policy", { limits: { usdPerDay: 1 } });
      const money = async () => {
        const limits = await operator("GET", "/tenants/ask-back/limits");
        const rows = limits.get("data") as { unit: string; used: number; reserved: number }[];
        const day = rows.find(({ unit }) => unit === "usd");
        return (day?.used ?? 0) + (day?.reserved ?? 0);
      };
      const asked = send(session, "Tell me");
      const shown = await held("ask-back");
      expect(await money()).toBeGreaterThan(0);
      await decide("ask-back", shown, { decision: "deny" });
      await asked;
      expect(await money()).toBe(0);
    });

    // cites: S-020
    it("gives the result to the caller once approved, as the approver edited the text", async () => {
      const session = await payingTenant("ask-result", { mode: "result" });
      const asked = send(session, "Tell me");
      const shown = await held("ask-result");
      expect(shown.body).toMatchObject({
        stage: "result",
        state: "waiting",
        content: { model: "openai-compatible/one", content: [{ type: "text" }] },
      });
      expect(shown.get("content.costUsd")).toBeGreaterThan(0);
      const edited = { text: "What may be told" };
      const wrong = await decide("ask-result", shown, {
        decision: "approve",
        edited: { model: "a/b" },
      });
      expect(wrong.get("path")).toBe("edited.model");
      expect((await decide("ask-result", shown, { decision: "approve", edited })).status).toBe(200);
      expect((await asked).get("result.content.text")).toBe("What may be told");
      const record = await recordOf("ask-result", shown);
      expect(record.body).toMatchObject({
        outcome: "succeeded",
        reasonDetail: expect.stringMatching(
          /^result approved by operator, edited to [0-9a-f]{64}$/,
        ),
      });
    });

    it("charges for the result, also when the approver denies the result", async () => {
      const session = await payingTenant("ask-paid", { mode: "result" });
      const pending = await send(session, "Tell me", { Prefer: "wait=0" });
      const shown = await held("ask-paid");
      expect(pending.get("error.data.idempotencyKey")).toBe(shown.get("requestId"));
      await decide("ask-paid", shown, { decision: "deny" });
      const header = { "Idempotency-Key": String(shown.get("requestId")) };
      const answer = await send(session, "Tell me", header);
      expect(answer.get("error.code")).toBe(-1);
      const record = await recordOf("ask-paid", shown);
      expect(record.body).toMatchObject({ outcome: "failed", reason: "user_rejected" });
      expect(record.get("costMicroUsd")).toBeGreaterThan(0);
      const [row] = (await operator("GET", "/tenants/ask-paid/usage")).get("data") as object[];
      expect(row).toMatchObject({ failed: 1, costUsd: shown.get("content.costUsd") });
    });

    it("asks for the request first where both are approved", async () => {
      const before = provider.requests().length;
      const session = await payingTenant("ask-both", { mode: "both" });
      const asked = send(session, "Tell me");
      const first = await held("ask-both");
      expect(first.get("stage")).toBe("request");
      expect(provider.requests()).toHaveLength(before);
      await decide("ask-both", first, { decision: "approve" });
      const second = await held("ask-both");
      expect([second.get("stage"), second.get("requestId")]).toEqual([
        "result",
        first.get("requestId"),
      ]);
      await decide("ask-both", second, { decision: "approve" });
      expect((await asked).get("result.model")).toBe("openai-compatible/one");
      expect(provider.requests()).toHaveLength(before + 1);
      expect((await recordOf("ask-both", first)).body).toMatchObject({
        outcome: "succeeded",
        reasonDetail: "result approved by operator",
        decision: { approvals: [{ stage: "request", by: "operator" }] },
      });
    });
  });
});
