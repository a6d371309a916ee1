import seed from "./catalogue.json" with { type: "json" };
import type { Catalogue, Model } from "./model.ts";

// TypeScript widens literals of JSON modules; a unit test verifies the shape.
const models = seed.models as Omit<Model, "source">[];

export const seedCatalogue: Catalogue = {
  version: seed.version,
  models: models.map((model) => ({ ...model, source: "catalogue" })),
};
