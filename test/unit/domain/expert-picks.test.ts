/** The table of requests as server authors write them, through the real seed and the real choice. */
import { describe, expect, it } from "vitest";
import { seedCatalogue } from "../../../src/domain/models/catalogue.ts";
import { poolFrom } from "../../../src/domain/choice/model-pool.ts";
import { type Decision } from "../../../src/domain/choice/decision.ts";
import { choose } from "../../../src/domain/choice/selection.ts";
import { codecFor } from "../../../src/mcp/era.ts";
import { credentialSets, expertPicks, type ExpertPick } from "./expert-picks.fixture.ts";
import { credential } from "./models.fixture.ts";

const fields = Object.fromEntries(
  Object.entries(credentialSets).map(([name, providers]) => [
    name,
    poolFrom({
      models: seedCatalogue.models,
      credentials: providers.map((provider) => credential(provider)),
      catalogueVersion: seedCatalogue.version,
      policy: {},
    }),
  ]),
);

function decisionFor({ credentials, params }: ExpertPick): Decision {
  const call = codecFor("2025-11-25")?.decodeCall(params);
  const field = fields[credentials];
  if (call?.ok !== true || field === undefined) throw new Error(JSON.stringify(call));
  const plan = choose(call.value, field);
  if (!plan.ok) throw new Error(JSON.stringify(plan.error));
  return plan.value.decision;
}

const hintsOf = ({ params }: ExpertPick): string =>
  JSON.stringify(params["modelPreferences"] ?? {});

describe("the model that an expert expects", () => {
  it("is written down for sixty requests and more", () => {
    expect(expertPicks.length).toBeGreaterThanOrEqual(60);
  });

  it.each(expertPicks.map((pick) => [pick.from, pick.credentials, hintsOf(pick), pick] as const))(
    "is chosen: %s, credentials: %s, %s",
    (_, __, ___, pick) => {
      const decision = decisionFor(pick);
      expect(`${decision.provider}/${decision.model}`).toBe(pick.expected);
    },
  );

  it("comes with a note where a hint names no known model", () => {
    const pick = expertPicks.find(({ params }) => JSON.stringify(params).includes("azure"));
    if (pick === undefined) throw new Error("no such pick");
    expect(decisionFor(pick).notes).toEqual(['hint "azure-container-apps" matched no model']);
  });
});
