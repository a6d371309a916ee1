/** The shared suite of `isolation.ts` against the product as it is started. */
import { afterAll, describe } from "vitest";
import { startRouter, type Router } from "../fakes/router.ts";
import { isolationSuite } from "./isolation.ts";

describe("nobody comes in who may not", () => {
  let router: Router | undefined;
  isolationSuite(async () => {
    router = await startRouter();
    return router;
  });
  afterAll(() => router?.stop());
});
