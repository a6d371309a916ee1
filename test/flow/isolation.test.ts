/** The shared suite of `isolation.ts` against the product as it is started. */
import { describe } from "vitest";
import { borrowRouter } from "../fakes/shared-router.ts";
import { isolationSuite } from "./isolation.ts";

describe("callers without the right key are refused", () => {
  isolationSuite(borrowRouter);
});
