/** The tenant's policy on previews and its deadline, from the admin API's schema to the choice. */
import { describe, expect, it } from "vitest";
import { featuresOf } from "../../../../../src/domain/sampling/negotiation.ts";
import type { Policy } from "../../../../../src/domain/choice/policy.ts";
import { policy as policySchema } from "../../../../../src/http/admin/policy-schemas.ts";
import { modelChange } from "../../../../../src/http/admin/model-schemas.ts";
import { createChooser } from "../../../../../src/pipeline/sampling/choice/choose.ts";
import { call, credential, model } from "../../../domain/models.fixture.ts";
import { callerWith } from "../../callers/callers.fixture.ts";

const catalogue = {
  version: "test",
  models: [
    model("openai/finished", { speed: 5 }),
    model("openai/unfinished", { status: "preview", intelligence: 5, speed: 1 }),
  ],
};

function chosenUnder(policy: Policy, hints: string[] = []): string {
  const { snapshot } = callerWith({ policy });
  const sealed = { tenantId: "ten_1", name: "", baseUrl: null, sealed: "", updatedAt: 0 };
  const plan = createChooser({ catalogue: () => catalogue, now: () => 0 }).plan(
    call({ hints, priorities: { intelligence: 1 } }),
    { ...snapshot, credentials: [{ ...credential("openai"), ...sealed, createdAt: 0 }] },
    { capabilities: { sampling: {} }, features: featuresOf({}) },
  );
  if (!plan.ok) throw new Error(plan.error.reason);
  return plan.value.decision.model;
}

describe("a tenant's policy on previews", () => {
  it.each<[Policy, string[], string]>([
    [{}, [], "finished"],
    [{}, ["unfinished"], "unfinished"],
    [{ previews: "hinted" }, [], "finished"],
    [{ previews: "allowed" }, [], "unfinished"],
    [{ previews: "never" }, ["unfinished"], "finished"],
    // An allowed preview that would take longer than a call may.
    [{ previews: "allowed", deadlineMs: 5_000 }, [], "finished"],
    [{ previews: "allowed", deadlineMs: 5_000 }, ["unfinished"], "unfinished"],
  ])("%j with the hints %j chooses %s", (policy, hints, expected) => {
    expect(policySchema.parse(policy)).toEqual(policy);
    expect(chosenUnder(policy, hints)).toBe(expected);
  });

  it("is one of three words", () => {
    expect(policySchema.safeParse({ previews: "sometimes" }).success).toBe(false);
  });
});

describe("a tenant's own figures", () => {
  it("may say when a model was released and how it scored", () => {
    const change = { releasedAt: "2026-05", scores: { "Bench, resolve rate": 44 } };
    expect(modelChange.parse(change)).toEqual(change);
    expect(modelChange.safeParse({ releasedAt: "in May" }).success).toBe(false);
  });
});
