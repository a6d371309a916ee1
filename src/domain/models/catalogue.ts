/** The models that are known without asking anyone: curated by hand in `catalogue.json`. */
import seed from "./catalogue.json" with { type: "json" };
import type { Catalogue, Model } from "./model.ts";

// TypeScript widens a JSON module's literals to `string` and `number`; the unit test proves the shape.
const models = seed.models as Omit<Model, "source">[];

export const seedCatalogue: Catalogue = {
  version: seed.version,
  models: models.map((model) => ({ ...model, source: "catalogue" })),
};
