/** What an edited call reserves, over fakes of the choice and the database. */
import { describe, expect, it } from "vitest";
import type { Policy } from "../../../../src/domain/choice/policy.ts";
import type { Approval, HeldCall } from "../../../../src/domain/ports/approvals.ts";
import { ok } from "../../../../src/domain/result.ts";
import type { User } from "../../../../src/domain/tenancy/user.ts";
import { createEditHeldCall } from "../../../../src/pipeline/approvals/edit.ts";
import { createHold } from "../../../../src/pipeline/approvals/hold-request.ts";
import { createHeldCallerOf } from "../../../../src/pipeline/approvals/slots.ts";
import type { Caller } from "../../../../src/pipeline/callers/authenticate.ts";
import { openingOf } from "../../../../src/pipeline/sampling/request/sampling-request.ts";
import { arrivalWith } from "../sampling/arrivals.fixture.ts";
import { callerWith, planOf, priced } from "../callers/callers.fixture.ts";

const now = 1_800_000_000_000;
const budget = { usdPerDay: 9 };
const policy: Policy = {
  limits: budget,
  perUser: budget,
  tags: { each: budget },
  runs: { usdPerRun: 9 },
  groups: { limits: { "eng:core": budget, free: {} } },
};
const chooser = { plan: () => ok(planOf([priced("mistral/one", 1)])) };
const sha256Hex = async (text: string) => text;

/** A call is held for this caller, and an approver edits its prompt. */
async function edited(caller: Caller) {
  let kept = "";
  const hold = createHold({
    chooser,
    sha256Hex,
    consoleOrigin: null,
    seal: async (_tenantId, _id, text) => {
      kept = text;
      return [];
    },
  });
  const arrival = arrivalWith({ caller });
  if (!arrival.call.ok) throw new Error(arrival.call.error.reason);
  const asked = { ...arrival.call.value, tag: "mail", run: "r1" };
  const held = await hold(
    {
      request: arrival,
      opening: openingOf(arrival, "req_1"),
      asked,
      plan: planOf([priced("mistral/one", 1)]),
      caller,
      server: null,
      now,
    },
    { stages: ["request"], timeoutMs: 1, onTimeout: "deny", conditions: [], webhookUrl: null },
  );
  if (!held.ok) throw new Error(held.error.reason);
  const { reserved, plan } = held.value;
  const { snapshot } = caller;
  const call = {
    approval: {
      tenantId: snapshot.tenant.id,
      requestId: "req_1",
      keyId: snapshot.key.id,
      stage: "request",
    } as Approval,
    decision: plan.decision,
    limitChecks: reserved.limitChecks,
    serverId: null,
  } as unknown as HeldCall;
  const editHeldCall = createEditHeldCall({
    callerOf: createHeldCallerOf({
      snapshots: { load: async () => ok({ snapshot, session: null, server: null }) },
    }),
    chooser,
    read: async () => ok(JSON.parse(kept) as never),
    seal: async () => [],
    sha256Hex,
    now: () => now,
  });
  const answer = await editHeldCall(call, {
    messages: [{ role: "user", content: [{ type: "text", text: "Shorter" }] }],
  });
  if (!answer.ok) throw new Error(answer.error.reason);
  return { before: reserved.limitChecks, after: answer.value.claim?.limitChecks ?? [] };
}

describe("an edited call", () => {
  it.each<[string, User | undefined]>([
    ["a token of a person in groups", { id: "usr_1", groups: ["eng:core", "free", "none"] }],
    ["a key of a person", { id: "usr_1" }],
    ["a key of nobody", undefined],
  ])("reserves at every node at which the call was held for %s", async (_, user) => {
    const caller = { ...callerWith({ policy }), ...(user !== undefined && { user }) };
    const { before, after } = await edited(caller);
    expect(after).toEqual(before);
    const nodes = new Set(after.map(({ subject }) => subject));
    expect(nodes.has("user:usr_1")).toBe(user !== undefined);
    expect(nodes.has("group:eng:core")).toBe(user?.groups !== undefined);
    expect([...nodes]).toEqual(expect.arrayContaining(["ten_1", "tag:mail", "run:key_1:r1"]));
  });
});
