import { afterAll, beforeAll, describe } from "vitest";
import type { EmbeddedEngine } from "../../../src/store/embedded/engine.ts";
import { embeddedBackend, givenFolder, startEngine } from "../../setup/embedded.ts";
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
