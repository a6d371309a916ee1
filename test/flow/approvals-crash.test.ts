/** Many held calls, two approvers at once, callers that give up and come back, and a process that is killed. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { adminOf, asking, createTenant, openSession, type Answered } from "../fakes/caller.ts";
import { startFaultyProvider, type FaultyProvider } from "../fakes/faulty-provider.ts";
import { startRouter, type Router } from "../fakes/router.ts";

const adminToken = "operator-token-of-the-tests";
const env = {
  MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
  ADMIN_TOKEN: adminToken,
  SCHEDULE_SECONDS: "1",
};
const model = { id: "one", inputUsdPerMTok: 2, outputUsdPerMTok: 10 };
const slug = "approve-crash";
const path = `/tenants/${slug}`;
const calls = 100;

let provider: FaultyProvider;
let router: Router;
beforeAll(async () => {
  provider = await startFaultyProvider({ slowMs: 120_000 });
  router = await startRouter({ env });
});
afterAll(async () => {
  await router?.stop();
  await provider?.stop();
});

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

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

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
    const page = await admin("GET", `${path}/approvals?state=waiting&limit=20`).catch(() => null);
    const rows = (page?.get("data") ?? []) as { requestId: string; shown: string }[];
    if (page !== null && page.status === 200 && rows.length === 0) return;
    if (page === null) await wait(100);
    // Side by side, so that both approvers are often at the same call.
    await Promise.all(
      rows.map(({ requestId, shown }) =>
        admin("POST", `${path}/approvals/${requestId}`, {
          decision: verdictOf((at += 1)),
          shown,
        }).catch(() => null),
      ),
    );
  }
}

// Time is under test: the leases of calls that died run out after half a minute and the deadline.
it("end exactly once each, as the one approver said whom the log names", async () => {
  const { key } = await createTenant({ ...router, adminToken }, slug, {
    provider: "openai-compatible",
    baseUrl: provider.url("openai-compatible"),
    models: [model],
    // On a busy machine, a provider's answer to many calls at once takes longer than a second.
    policy: { deadlineMs: 15_000, approval: { mode: "request" } },
  });
  const operator = adminOf(router, adminToken);
  const approverKey = async (): Promise<{ id: string; key: string }> => {
    const made = await operator("POST", `${path}/keys`, { name: "a", scopes: ["approver"] });
    return { id: String(made.get("id")), key: String(made.get("key")) };
  };
  const approvers = [await approverKey(), await approverKey()];
  const session = await openSession(router, key);
  const ask = (at: number, waitSeconds: number): Promise<Answered | null> =>
    session
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
  expect(provider.requests()).toHaveLength(0);

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
  const answers = Promise.all(all.map(caller));
  const decisions = Promise.all([
    approver(approvers[0]?.key ?? "", (at) => (at % 3 === 0 ? "deny" : "approve")),
    approver(approvers[1]?.key ?? "", (at) => (at % 2 === 0 ? "deny" : "approve")),
  ]);
  // In the midst of it: some are decided, some run, most wait.
  while (provider.requests().length < 10) await wait(5);
  await router.kill9();
  const { stateDir } = router;
  router = await startRouter({ env: { ...env, PORT: new URL(router.url).port }, stateDir });
  await decisions;
  const answered = await answers;

  const events = (await everyPage<Event>("/events")).filter(({ action }) =>
    action.startsWith("approval."),
  );
  expect(events.map(({ target }) => target)).toHaveLength(calls);
  expect(new Set(events.map(({ target }) => target)).size).toBe(calls);
  const ids = new Set(events.map(({ target }) => target));
  const recordsOfAll = async (): Promise<RequestRow[]> =>
    (await everyPage<RequestRow>(`${path}/requests`)).filter(({ id }) => ids.has(id));
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
    expect(approvers.map((each) => each.id)).toContain(event?.actor);
    if (event?.action === "approval.deny") {
      expect([outcome, reasonDetail]).toEqual(["failed", `request denied by ${event.actor}`]);
      continue;
    }
    // A call that ran when the process was killed is unknown, as any other would be.
    expect(["succeeded", "unknown"]).toContain(outcome);
    if (outcome === "succeeded") ran += 1;
    else died += 1;
    const record = await adminOf(router, adminToken)("GET", `${path}/requests/${id}`);
    expect(record.get("decision.approvals")).toMatchObject([
      { verdict: "approved", by: event?.actor },
    ]);
  }
  // What died may have been on its way to the provider, and nothing was sent twice.
  expect(provider.requests().length).toBeGreaterThanOrEqual(ran);
  expect(provider.requests().length).toBeLessThanOrEqual(ran + died);
  const said = answered.map((answer) => String(answer.get("error.data.reason") ?? "result"));
  const denied = events.filter(({ action }) => action === "approval.deny").length;
  expect(said.filter((reason) => reason === "user_rejected")).toHaveLength(denied);
  expect(said.filter((reason) => reason === "result").length).toBe(ran);
}, 180_000);
