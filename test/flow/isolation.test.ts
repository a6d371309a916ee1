/** The shared suite of `isolation.ts` against the product as it is started. */
import { afterAll, describe } from "vitest";
import { seedCatalogue } from "../../src/domain/models/catalogue.ts";
import { apiJsonOf, startModelsDev, type ModelsDev } from "../fakes/models-dev.ts";
import { startRouter, type Router } from "../fakes/router.ts";
import { isolationSuite } from "./isolation.ts";

describe("callers without the right key are refused", () => {
  let router: Router | undefined;
  let modelsDev: ModelsDev | undefined;
  isolationSuite(async () => {
    modelsDev = await startModelsDev(JSON.stringify(apiJsonOf(seedCatalogue.models)));
    router = await startRouter({ env: { CATALOGUE_URL: modelsDev.url } });
    return router;
  });
  afterAll(async () => {
    await router?.stop();
    await modelsDev?.close();
  });
});
