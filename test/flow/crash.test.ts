/** A process is killed while calls run and others are held: what their records say, and what the next process does. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adminOf, asking, createTenant, openSession, type Answered } from "../fakes/caller.ts";
import { startFaultyProvider, type FaultyProvider } from "../fakes/faulty-provider.ts";
import { startRouter, type Router } from "../fakes/router.ts";

const adminToken = "operator-token-of-the-tests";
const env = {
  MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
  ADMIN_TOKEN: adminToken,
  SCHEDULE_SECONDS: "1",
};
const model = { id: "one", tools: true, inputUsdPerMTok: 2, outputUsdPerMTok: 10 };
/** On a busy machine, a provider's answer to many calls at once takes longer than a second. */
const deadlineMs = 15_000;

let router: Router;
let ofRunning: FaultyProvider;
let ofHeld: FaultyProvider;

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Row {
  id: string;
  outcome: string;
  reason: string | null;
  reservedTokens: number | null;
  costMicroUsd: number | null;
}
const recordsOf = async (tenant: string): Promise<Row[]> => {
  const page = await adminOf(router, adminToken)("GET", `/tenants/${tenant}/requests?limit=200`);
  return page.get("data") as Row[];
};

async function until<T>(read: () => Promise<T | null>, withinMs: number): Promise<T> {
  const end = Date.now() + withinMs;
  for (;;) {
    const found = await read();
    if (found !== null) return found;
    if (Date.now() > end) throw new Error("It did not happen in time.");
    await wait(250);
  }
}

/** The operator looks the call up at the provider, and tells the router what it cost. */
async function correct({ id, costMicroUsd }: Row): Promise<void> {
  const admin = adminOf(router, adminToken);
  const path = "/tenants/crash";
  const usage = async () => {
    const [row] = (await admin("GET", `${path}/usage`)).get("data") as Record<string, unknown>[];
    return row;
  };
  const costUsd = (costMicroUsd ?? Number.NaN) / 1e6;
  expect(await usage()).toMatchObject({ unknown: 1, succeeded: 0, refused: 1, costUsd });
  const found = {
    outcome: "succeeded",
    inputTokens: 11,
    outputTokens: 12,
    costUsd: 0.000142,
    reason: "as the provider's invoice says",
  };
  const corrected = await admin("POST", `${path}/requests/${id}/correct`, found);
  expect(corrected.status).toBe(200);
  expect(corrected.body).toMatchObject({
    outcome: "unknown",
    costMicroUsd,
    correction: {
      outcome: "succeeded",
      costMicroUsd: 142,
      reason: found.reason,
      actor: "operator",
    },
  });
  expect(await usage()).toMatchObject({
    unknown: 0,
    succeeded: 1,
    inputTokens: 11,
    outputTokens: 12,
    costUsd: 0.000142,
  });
  const [event] = (await admin("GET", "/events?limit=1")).get("data") as unknown[];
  expect(event).toMatchObject({
    action: "request.correct",
    target: id,
    detail: {
      reason: found.reason,
      before: { outcome: "unknown", costMicroUsd },
      after: { outcome: "succeeded", inputTokens: 11, outputTokens: 12, costMicroUsd: 142 },
    },
  });
  for (const wrong of [
    { ...found, outcome: "unknown" },
    { ...found, costUsd: -1 },
    { ...found, costUsd: 0.0000001 },
    { ...found, reason: " " },
    { ...found, more: 1 },
  ]) {
    const refused = await admin("POST", `${path}/requests/${id}/correct`, wrong);
    expect([refused.status, refused.get("reason")]).toEqual([400, "invalid_params"]);
  }
}

/** The call that runs lives until the kill, however long a busy machine takes until then. */
const deadlineOfRunningMs = 40_000;

/** Beside it another call is refused. The caller waits for its answer in vain. */
async function callThatRuns() {
  ofRunning.setMode("slow");
  const { key } = await createTenant({ ...router, adminToken }, "crash", {
    provider: "openai-compatible",
    baseUrl: ofRunning.url("openai-compatible"),
    models: [model],
    policy: {
      deadlineMs: deadlineOfRunningMs,
      limits: { concurrent: 1, tokensPerMinute: 100_000, requestsPerMinute: 100 },
    },
  });
  const session = await openSession(router, key);
  const params = asking("are you there", {
    metadata: { "sampling-router/idempotencyKey": "mine" },
  });
  const dying = session.sample(params).catch(() => null);
  await until(async () => (ofRunning.requests().length > 0 ? true : null), 10_000);
  const busy = await session.sample(asking("me too"));
  expect(busy.get("error.data.limit")).toBe("tenant.concurrent");
  return { key, params, dying };
}

const pathOfHeld = "/tenants/approve-crash";
const calls = 100;

interface Event {
  action: string;
  actor: string;
  target: string;
}
interface RequestRow {
  id: string;
  outcome: string;
  reasonDetail: string | null;
}

async function everyPage<T>(list: string): Promise<T[]> {
  const rows: T[] = [];
  for (let cursor = ""; ;) {
    const page = await adminOf(router, adminToken)("GET", `${list}?limit=200${cursor}`);
    rows.push(...(page.get("data") as T[]));
    const next = page.get("nextCursor");
    if (next === null) return rows;
    cursor = `&cursor=${String(next)}`;
  }
}

/** Decides what waits, until nothing does. `null` where the router is away. */
async function approver(key: string, verdictOf: (at: number) => string): Promise<void> {
  let at = 0;
  for (;;) {
    const admin = adminOf(router, key);
    const page = await admin("GET", `${pathOfHeld}/approvals?state=waiting&limit=20`).catch(
      () => null,
    );
    const rows = (page?.get("data") ?? []) as { requestId: string; contentHash: string }[];
    if (page !== null && page.status === 200 && rows.length === 0) return;
    if (page === null) await wait(100);
    // Side by side, so that both approvers are often at the same call.
    await Promise.all(
      rows.map(({ requestId, contentHash }) =>
        admin("POST", `${pathOfHeld}/approvals/${requestId}`, {
          decision: verdictOf((at += 1)),
          contentHash,
        }).catch(() => null),
      ),
    );
  }
}

/** Held calls; `begin` has their callers come again, and both approvers decide. */
async function callsThatAreHeld() {
  const { key } = await createTenant({ ...router, adminToken }, "approve-crash", {
    provider: "openai-compatible",
    baseUrl: ofHeld.url("openai-compatible"),
    models: [model],
    policy: { deadlineMs, approval: { mode: "request" } },
  });
  const operator = adminOf(router, adminToken);
  const approverKey = async (): Promise<{ id: string; key: string }> => {
    const made = await operator("POST", `${pathOfHeld}/keys`, { name: "a", scopes: ["approver"] });
    return { id: String(made.get("id")), key: String(made.get("key")) };
  };
  const approvers = [await approverKey(), await approverKey()];
  // One key may hold 50 calls.
  const keys = [key];
  while (keys.length < Math.ceil(calls / 50)) {
    const more = { name: `held ${keys.length}`, scopes: ["sampling"] };
    keys.push(String((await operator("POST", `${pathOfHeld}/keys`, more)).get("key")));
  }
  const sessions = await Promise.all(keys.map((each) => openSession(router, each)));
  const ask = (at: number, waitSeconds: number): Promise<Answered | null> =>
    (sessions[at % sessions.length] as (typeof sessions)[number])
      .send(
        JSON.stringify({
          jsonrpc: "2.0",
          id: at,
          method: "sampling/createMessage",
          params: asking(`call ${at}`),
        }),
        { "Idempotency-Key": `key ${at}`, Prefer: `wait=${waitSeconds}` },
      )
      .catch(() => null);
  const all = Array.from({ length: calls }, (_, at) => at);
  await Promise.all(
    all.map(async (at) => {
      // On a busy machine, a hundred calls at once are more than the router lets wait.
      for (;;) {
        const reason = (await ask(at, 0))?.get("error.data.reason");
        if (reason !== "unavailable") return expect(reason).toBe("approval_pending");
        await wait(200);
      }
    }),
  );
  expect(ofHeld.requests()).toHaveLength(0);

  /** Comes again and again, as a caller whose own wait is short. */
  const caller = async (at: number): Promise<Answered> => {
    for (;;) {
      const answer = await ask(at, at % 3);
      const reason = answer?.get("error.data.reason");
      if (answer !== null && reason !== "approval_pending" && reason !== "unavailable")
        if (answer.body !== null) return answer;
      await wait(100);
    }
  };
  const begin = () => ({
    answers: Promise.all(all.map(caller)),
    decisions: Promise.all([
      approver(approvers[0]?.key ?? "", (at) => (at % 3 === 0 ? "deny" : "approve")),
      approver(approvers[1]?.key ?? "", (at) => (at % 2 === 0 ? "deny" : "approve")),
    ]),
  });
  return { approvers, begin };
}

// Time is under test: the leases of calls that died run out after half a minute and the deadline.
describe("a crash", () => {
  let running: Awaited<ReturnType<typeof callThatRuns>>;
  let held: Awaited<ReturnType<typeof callsThatAreHeld>>;
  let answered: Answered[];

  beforeAll(async () => {
    [ofRunning, ofHeld] = await Promise.all([
      startFaultyProvider({ slowMs: 120_000 }),
      startFaultyProvider({ slowMs: 120_000 }),
    ]);
    router = await startRouter({ env });
    held = await callsThatAreHeld();
    running = await callThatRuns();
    const { answers, decisions } = held.begin();
    // In the midst of it: some are decided, some run, most wait.
    while (ofHeld.requests().length < 10) await wait(5);
    await router.kill9();
    await running.dying;
    ofRunning.setMode("fine");
    const { stateDir } = router;
    router = await startRouter({ env: { ...env, PORT: new URL(router.url).port }, stateDir });
    await decisions;
    answered = await answers;
  }, 180_000);
  afterAll(async () => {
    await router?.stop();
    await Promise.all([ofRunning?.stop(), ofHeld?.stop()]);
  });

  it("leaves held calls, each of which ends exactly once, as the one approver said whom the log names", async () => {
    const events = (await everyPage<Event>("/events")).filter(({ action }) =>
      action.startsWith("approval."),
    );
    expect(events.map(({ target }) => target)).toHaveLength(calls);
    expect(new Set(events.map(({ target }) => target)).size).toBe(calls);
    const ids = new Set(events.map(({ target }) => target));
    const recordsOfAll = async (): Promise<RequestRow[]> =>
      (await everyPage<RequestRow>(`${pathOfHeld}/requests`)).filter(({ id }) => ids.has(id));
    let ended = await recordsOfAll();
    // A caller hears that a lease is over a moment before the sweep writes it.
    while (ended.some(({ outcome }) => outcome === "admitted")) {
      await wait(500);
      ended = await recordsOfAll();
    }
    expect(ended).toHaveLength(calls);
    let [ran, died] = [0, 0];
    for (const { id, outcome, reasonDetail } of ended) {
      const event = events.find(({ target }) => target === id);
      expect(held.approvers.map((each) => each.id)).toContain(event?.actor);
      if (event?.action === "approval.deny") {
        expect([outcome, reasonDetail]).toEqual(["failed", `request denied by ${event.actor}`]);
        continue;
      }
      // A call that ran when the process was killed is unknown, as any other would be.
      expect(["succeeded", "unknown"]).toContain(outcome);
      if (outcome === "succeeded") ran += 1;
      else died += 1;
      const record = await adminOf(router, adminToken)("GET", `${pathOfHeld}/requests/${id}`);
      expect(record.get("decision.approvals")).toMatchObject([
        { verdict: "approved", by: event?.actor },
      ]);
    }
    // What died may have been on its way to the provider, and nothing was sent twice.
    expect(ofHeld.requests().length).toBeGreaterThanOrEqual(ran);
    expect(ofHeld.requests().length).toBeLessThanOrEqual(ran + died);
    const said = answered.map((answer) => String(answer.get("error.data.reason") ?? "result"));
    const denied = events.filter(({ action }) => action === "approval.deny").length;
    expect(said.filter((reason) => reason === "user_rejected")).toHaveLength(denied);
    expect(said.filter((reason) => reason === "result").length).toBe(ran);
  }, 180_000);

  it("leaves a record of a running call, marked unknown, charged as reserved, and frees its concurrency", async () => {
    const swept = await until(async () => {
      const records = await recordsOf("crash");
      return records.find(({ outcome }) => outcome === "unknown") ?? null;
    }, 90_000);
    expect(swept.costMicroUsd).toBe(
      // 2 USD and 10 USD per million tokens, of what was estimated and what was allowed.
      ((swept.reservedTokens ?? 0) - 50) * 2 + 50 * 10,
    );
    expect(ofRunning.requests()).toHaveLength(1);
    const again = await openSession(router, running.key);
    // Nobody knows how the call ended, and it was charged, so its key gives no second try.
    const retried = await again.sample(running.params);
    expect(retried.get("error.code")).toBe(-502);
    expect(retried.headers.get("x-request-id")).toBe(swept.id);
    expect(ofRunning.requests()).toHaveLength(1);
    await correct(swept);
    const after = await again.sample(asking("and now"));
    expect(after.get("result.model")).toBe("openai-compatible/one");
    const records = await recordsOf("crash");
    expect(records.map(({ outcome }) => outcome)).toEqual(["succeeded", "refused", "unknown"]);
  }, 150_000);
});
