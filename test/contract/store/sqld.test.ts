import { afterAll, beforeAll, describe } from "vitest";
import { startSqld, type Sqld } from "../../fakes/sqld.ts";
import { sqldBackend } from "../../setup/sqld.ts";
import { storeSuites } from "./suites.ts";

describe("the libSQL server", () => {
  let sqld: Sqld;
  beforeAll(async () => {
    sqld = await startSqld();
  });
  afterAll(() => sqld.stop());
  storeSuites(sqldBackend(() => sqld.url));
});
