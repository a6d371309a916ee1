/** The store contract holds on a libSQL server that commits each write alone. */
import { afterAll, beforeAll, describe } from "vitest";
import { startSqld, type Sqld } from "../../fakes/sqld.ts";
import { sqldBackend } from "../../setup/sqld.ts";
import { writingSuites } from "./suites.ts";

// Every suite runs on this server with grouped writes.
describe("the libSQL server, each write alone", () => {
  let sqld: Sqld;
  beforeAll(async () => {
    sqld = await startSqld();
  });
  afterAll(() => sqld.stop());
  writingSuites(sqldBackend(() => sqld.url));
});
