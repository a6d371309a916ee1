/** A model is chosen until its announced shutdown, and its successor from then on. */
import { describe, expect, it } from "vitest";
import { seedCatalogue } from "../../../src/domain/models/catalogue.ts";
import { catalogueOn, endingSoon } from "../../../src/domain/models/retirement.ts";
import { choose } from "../../../src/domain/choice/selection.ts";
import { nameOf } from "../../../src/domain/models/model.ts";
import { call, credential, field, model } from "./models.fixture.ts";

const day = (date: string): number => Date.parse(`${date}T00:00:00Z`);
const ending = model("openai/gpt-9-mini", { retiresAt: "2026-12-24" });
const lasting = model("openai/gpt-10-mini");
const catalogue = { version: "2026-11-26", models: [ending, lasting] };

const pickOn = (date: string): string => {
  const { models } = catalogueOn(catalogue, day(date));
  const plan = choose(
    call({ hints: ["gpt-9-mini"] }),
    field({ models, credentials: [credential("openai")] }),
  );
  if (!plan.ok) throw new Error(plan.error.reason);
  return plan.value.decision.model;
};

describe("a model with an announced end", () => {
  it("is chosen until the day before, and then its successor is, without a sync", () => {
    expect(pickOn("2026-12-23")).toBe("gpt-9-mini");
    expect(pickOn("2026-12-24")).toBe("gpt-10-mini");
  });

  it("is named for thirty days before its end", () => {
    const namesOn = (date: string): string[] =>
      endingSoon(catalogueOn(catalogue, day(date)).models, day(date)).map(nameOf);
    expect(namesOn("2026-11-23")).toEqual([]);
    expect(namesOn("2026-11-24")).toEqual(["openai/gpt-9-mini"]);
    expect(namesOn("2026-12-23")).toEqual(["openai/gpt-9-mini"]);
    expect(namesOn("2026-12-24")).toEqual([]);
  });

  it("costs no second list on the same day", () => {
    expect(catalogueOn(catalogue, day("2026-12-24"))).toBe(
      catalogueOn(catalogue, day("2026-12-24") + 1),
    );
    expect(catalogueOn(catalogue, day("2026-12-01"))).toBe(catalogue);
  });
});

it("no model of the seed is active whose shutdown is past on the day of the seed", () => {
  expect(catalogueOn(seedCatalogue, day(seedCatalogue.version))).toBe(seedCatalogue);
});

it.each([
  "openai/gpt-3.5-turbo",
  "openai/gpt-4",
  "openai/gpt-4-turbo",
  "openai/gpt-4.1-nano",
  "openai/o1",
  "openai/o3-mini",
  "openai/o4-mini",
  "google/gemini-2.5-flash-image",
  "google/gemini-3-pro-image-preview",
  "google/gemini-3.1-flash-image-preview",
])("%s was shut down before the seed was made", (name) => {
  expect(seedCatalogue.models.find((each) => nameOf(each) === name)?.status).toBe("retired");
});
