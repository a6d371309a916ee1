/** The store contract holds on the embedded engine. */
import { afterAll, beforeAll, describe } from "vitest";
import type { EmbeddedEngine } from "../../../src/store/engines/embedded/engine.ts";
import { embeddedBackend } from "../../setup/embedded.ts";
import { givenFolder, startEngine } from "../../setup/engine.ts";
import { storeSuites } from "./suites.ts";

describe("the embedded engine", () => {
  const folder = givenFolder();
  let engine: EmbeddedEngine;
  beforeAll(async () => {
    engine = await startEngine(folder.path);
  });
  afterAll(async () => {
    await engine.close();
    folder.remove();
  });
  storeSuites(embeddedBackend(() => engine));
});
