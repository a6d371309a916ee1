/** The official Python SDKs do two turns with a tool by each wire; only their base URL and key are the router's. */
import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startModelWorld, type ModelWorld } from "../fakes/model-world.ts";
import { patient } from "../setup/patience.ts";
import { pinned } from "./clients/installed.ts";

const python = process.env["PYTHON"] ?? "python3";
const hasSdks = spawnSync(python, ["-c", "import openai, anthropic"]).status === 0;

// PyPI isn't among the registries that `npm run clients` uses: set PYTHON to a Python that has both SDKs.
describe.skipIf(!hasSdks)("Python's SDKs", () => {
  let world: ModelWorld;
  beforeAll(async () => {
    world = await startModelWorld("python");
  });
  afterAll(() => world?.provider.stop());

  it.each(["openai/gpt-5.4-mini", "anthropic/claude-haiku-4-5"])(
    "work with %s",
    { timeout: patient(60_000) },
    async (model) => {
      const toolUse = { id: "call_1", name: "weather", input: { city: "Oslo" } };
      const answer = "It is sunny in Oslo.";
      const turns = [{ text: "", toolUse }, { text: answer }, { text: answer }];
      world.provider.says(...turns, ...turns, ...turns);
      const env = { ...process.env, BASE: world.base, KEY: await world.keyWith(), MODEL: model };
      const { stdout } = await promisify(execFile)(python, [join(pinned, "python.py")], { env });
      const names = ["chat", "responses", "messages"].flatMap((name) => [name, `${name} streamed`]);
      expect(JSON.parse(stdout)).toEqual({
        ...Object.fromEntries(names.map((name) => [name, answer])),
        models: [true, true],
        counted: true,
        "error of chat": "NotFoundError",
        "error of messages": "NotFoundError",
      });
    },
  );
});
