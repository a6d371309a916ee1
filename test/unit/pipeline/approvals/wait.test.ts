/** Who ends a held call whose caller leaves or cancels while others decide, over fakes of the database. */
import { describe, expect, it } from "vitest";
import type { Approval, ApprovalStore, HeldCall } from "../../../../src/domain/ports/approvals.ts";
import { ok } from "../../../../src/domain/result.ts";
import { createWaitForApproval } from "../../../../src/pipeline/approvals/wait.ts";
import { cancelledInSession } from "../../../../src/pipeline/sampling/request/cancel.ts";
import type { Held } from "../../../../src/pipeline/sampling/states/states.ts";
import { call as samplingCall } from "../../domain/models.fixture.ts";
import { admittedWith, observer, receivedWith } from "../sampling/arrivals.fixture.ts";

const cancelled = { state: "refused", refusal: { reason: "cancelled" } };
const aborted = (reason?: unknown): AbortSignal => {
  const controller = new AbortController();
  controller.abort(reason);
  return controller.signal;
};

/** The caller waits for a call in this state. */
async function waited(given: {
  role: Held["role"];
  state: Approval["state"];
  outcome?: HeldCall["outcome"];
  signal?: AbortSignal;
}) {
  const { role, outcome = "admitted", signal = new AbortController().signal } = given;
  const log: string[] = [];
  const { observed } = observer();
  const approval = { state: given.state, stage: "request", deadline: 9 } as Approval;
  const approvals = {
    find: async () => ok({ approval, outcome } as HeldCall),
    withdraw: async () => {
      log.push("withdraw");
      return ok(!["denied", "expired", "started"].includes(given.state));
    },
  } satisfies Partial<ApprovalStore>;
  const held: Held = {
    ...receivedWith(observed),
    state: "held",
    asked: samplingCall(),
    requestId: "req_1",
    limits: [],
    replayKey: { kind: "client", key: "k" },
    role,
  };
  const waitForApproval = createWaitForApproval({
    approvals: approvals as unknown as ApprovalStore,
    begin: async () => {
      log.push("begin");
      return ok({ state: "taken", admitted: admittedWith(observed) });
    },
    endHeld: async () => {
      log.push("end");
      return ok(null);
    },
    sendWebhooks: () => undefined,
    now: () => 1,
    elapsed: () => 0,
    wait: async (ms) => void log.push(`wait ${ms}`),
  });
  return { waited: await waitForApproval(held, signal), log };
}

describe("a held call", () => {
  it("runs for the caller that is there when it is approved", async () => {
    for (const role of ["owner", "returning"] as const)
      expect((await waited({ role, state: "approved" })).log).toEqual(["begin"]);
  });

  it("that is approved while its caller leaves isn't begun, but withdrawn", async () => {
    const { waited: end, log } = await waited({
      role: "owner",
      state: "approved",
      signal: aborted(),
    });
    expect([end, log]).toEqual([cancelled, ["wait 2000", "withdraw", "end"]]);
  });

  it("that is approved while a caller leaves who joined it stays for the next", async () => {
    const { waited: end, log } = await waited({
      role: "returning",
      state: "approved",
      signal: aborted(),
    });
    expect([end, log]).toEqual([cancelled, []]);
  });

  it("that is denied while its caller cancels has ended before it is looked at again", async () => {
    const signal = aborted(cancelledInSession);
    const { waited: end, log } = await waited({ role: "owner", state: "denied", signal });
    expect([end, log]).toEqual([{ state: "over" }, ["withdraw", "end"]]);
  });

  it("that another caller with its key cancelled isn't held again for the first", async () => {
    for (const outcome of ["admitted", "cancelled"] as const) {
      const { waited: end } = await waited({ role: "owner", state: "withdrawn", outcome });
      expect(end).toEqual(cancelled);
    }
    const next = await waited({ role: "repetition", state: "withdrawn", outcome: "cancelled" });
    expect(next.waited).toEqual({ state: "over" });
  });
});
