/** What the OpenAPI document says of a record, against the types that records have. */
import { describe, expect, it } from "vitest";
import type { Attempt } from "../../../src/domain/attempts.ts";
import type { Candidate, Decision } from "../../../src/domain/choice/decision.ts";
import type { StoredAlert } from "../../../src/domain/ports/alerts.ts";
import type { Usage } from "../../../src/domain/usage.ts";
import { openApiDocument } from "../../fakes/openapi-document.ts";

/** Every member, so that a new one can't be forgotten here. */
const attempt: Record<keyof Attempt, true> = {
  provider: true,
  model: true,
  credentialId: true,
  status: true,
  retryable: true,
  fault: true,
  billed: true,
  latencyMs: true,
  waitedMs: true,
  retryAfterMs: true,
  reach: true,
  code: true,
  network: true,
  notes: true,
  usage: true,
  stream: true,
  costMicroUsd: true,
};
const usage: Record<keyof Usage, true> = {
  inputTokens: true,
  outputTokens: true,
  estimated: true,
  classes: true,
  media: true,
  surcharge: true,
  implausible: true,
};
const alert: Record<keyof StoredAlert, true> = {
  id: true,
  at: true,
  tenantId: true,
  kind: true,
  subject: true,
  name: true,
  threshold: true,
  limit: true,
  used: true,
  periodFrom: true,
  periodUntil: true,
  deliveries: true,
};
const ofDecision: (keyof Decision | keyof Candidate)[] = [
  "failover",
  "viaFailover",
  "isLate",
  "toolLoop",
  "viaToolLoop",
];

interface Document {
  components: { schemas: Record<string, { properties: Record<string, { description?: string }> }> };
}

describe("the OpenAPI document", () => {
  const schemas = async () => {
    const document = (await openApiDocument()) as Document;
    return document.components.schemas;
  };

  it("names every member of an attempt, of a usage and of an alert", async () => {
    const { Attempt: shown, TokenUsage: used, Alert: told } = await schemas();
    expect(Object.keys(told?.properties ?? {}).toSorted()).toEqual(
      [...Object.keys(alert), "severity", "text"].toSorted(),
    );
    expect(Object.keys(shown?.properties ?? {}).toSorted()).toEqual(
      Object.keys(attempt).toSorted(),
    );
    expect(Object.keys(used?.properties ?? {}).toSorted()).toEqual(Object.keys(usage).toSorted());
  });

  it("explains what a decision says of failover, deadlines and tool loops", async () => {
    const { SamplingRequest: record } = await schemas();
    const said = JSON.stringify(record?.properties["decision"]);
    for (const name of ofDecision) expect(said).toContain(`\`${name}\``);
  });
});
