/** Changed prices drop the prices that depended on them, and globs match in linear time. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  credentialsFor,
  isAllowed,
  modelsOf,
  nameOf,
  type ModelChange,
} from "../../../src/domain/models/model.ts";
import { credential, model } from "./models.fixture.ts";

const named = (name: string) => model(name);

describe("a change of the plain input price", () => {
  const classes = {
    cachedInputUsdPerMTok: 0.1,
    cacheWriteUsdPerMTok: 1.25,
    audioInputUsdPerMTok: 4,
  };
  const catalogue = { version: "1", models: [model("openai/gpt", classes)] };
  const changed = (change: ModelChange) =>
    modelsOf(catalogue, [], [{ provider: "openai", id: "gpt", change }])[0];

  it("removes the catalogue's prices of cached and spoken input, which belong to another price list", () => {
    expect(changed({ inputUsdPerMTok: 0 })).toMatchObject({
      inputUsdPerMTok: 0,
      cachedInputUsdPerMTok: null,
      cacheWriteUsdPerMTok: null,
      audioInputUsdPerMTok: null,
    });
    expect(changed({ inputUsdPerMTok: 2, cachedInputUsdPerMTok: 0.2 })).toMatchObject({
      cachedInputUsdPerMTok: 0.2,
      cacheWriteUsdPerMTok: null,
    });
  });

  it("removes no prices where the plain price stays the same", () => {
    expect(changed({ inputUsdPerMTok: 1, speed: 5 })).toMatchObject(classes);
    expect(changed({ speed: 5, cacheWriteUsdPerMTok: 9 })).toMatchObject({
      ...classes,
      cacheWriteUsdPerMTok: 9,
    });
  });
});

describe("globs", () => {
  it.each([
    ["openai/*", "openai/gpt", true],
    ["openai/*", "openai/", true],
    ["openai/*", "groq/openai/gpt", false],
    ["*/claude-*", "anthropic/claude-sonnet", true],
    ["*/claude-*", "anthropic/not-claude", false],
    ["*", "anything/at/all", true],
    ["**", "anything/at/all", true],
    ["*/*", "groq/openai/gpt", true],
    ["groq/openai/*", "groq/openai/gpt-oss", true],
    ["OpenAI/GPT", "openai/gpt", true],
    ["openai/gpt", "openai/gpt-5", false],
    ["gpt", "openai/gpt", false],
    ["", "openai/gpt", false],
    ["openai/gpt-*-mini", "openai/gpt-5.4-mini", true],
    ["openai/gpt-*-mini", "openai/gpt-mini", false],
    ["openai/gpt-*mini", "openai/gpt-mini", true],
    // One letter can't match on both sides of a star.
    ["p/o*o", "p/o", false],
    ["p/o*o", "p/oo", true],
    ["a*b*b", "a/b", false],
  ])("%j of %j: %s", (glob, name, allowed) => {
    expect(isAllowed(named(name), { allowedModels: [glob] })).toBe(allowed);
  });

  it.each(["gpt-5.4", "a+b", "(a|b)", "[ab]", "a?", "^a$", "a{2}", "a\\d", "a.b", "$&", "a|b"])(
    "take %j for text",
    (id) => {
      expect(isAllowed(named(`p/${id}`), { allowedModels: [`p/${id}`] })).toBe(true);
      for (const other of [
        "p/gpt-5x4",
        "p/aab",
        "p/a",
        "p/b",
        "p/ab",
        "p/aa",
        "p/a1",
        "p/axb",
        "p/",
      ])
        expect(isAllowed(named(other), { allowedModels: [`p/${id}`] })).toBe(false);
    },
  );

  it("match themselves, and anything in the place of a star", () => {
    const part = fc.string({
      unit: fc.constantFrom(..."ab./-+?()[]{}^$|\\".split("")),
      maxLength: 8,
    });
    fc.assert(
      fc.property(part, part, part, (a, b, c) => {
        const its = named(`p/${a}${b}${c}`);
        expect(isAllowed(its, { allowedModels: [`p/${a}${b}${c}`] })).toBe(true);
        expect(isAllowed(its, { allowedModels: [`p/${a}*${c}`] })).toBe(true);
        expect(isAllowed(its, { allowedModels: [`*${b}*`] })).toBe(true);
        expect(isAllowed(its, { allowedModels: [`p/${a}${b}${c}x`] })).toBe(false);
      }),
    );
  });

  it("with many stars are matched in no time, since all tenants would wait for a tenant's glob", () => {
    const its = named(`p/${"a".repeat(200)}`);
    const from = performance.now();
    expect(isAllowed(its, { allowedModels: [`${"*a".repeat(40)}*b`] })).toBe(false);
    expect(isAllowed(its, { allowedModels: ["*".repeat(500)] })).toBe(true);
    expect(performance.now() - from).toBeLessThan(200);
  });
});

describe("policy", () => {
  const its = named("openai/gpt");
  it("allows every model without a list, and no model with an empty list", () => {
    expect(isAllowed(its, {})).toBe(true);
    expect(isAllowed(its, { allowedModels: [] })).toBe(false);
    expect(isAllowed(its, { deniedModels: [] })).toBe(true);
  });

  it("denies a model that it both allows and denies", () => {
    expect(isAllowed(its, { deniedModels: ["*/gpt"] })).toBe(false);
    expect(isAllowed(its, { allowedModels: ["openai/gpt"], deniedModels: ["openai/*"] })).toBe(
      false,
    );
    expect(isAllowed(its, { allowedModels: ["*"], deniedModels: ["google/*"] })).toBe(true);
  });
});

describe("a tenant's models", () => {
  const seed = { version: "1", models: [model("openai/gpt", { tools: false })] };

  it("are the catalogue, then what credentials declare, then its own overrides", () => {
    const declaring = credential("openai", {
      models: [{ id: "gpt", tools: true, speed: 5 }, { id: "local" }],
    });
    const override = { provider: "openai", id: "gpt", change: { speed: 1 as const } };
    const [gpt, local, ...rest] = modelsOf(seed, [declaring], [override]);
    expect(rest).toEqual([]);
    expect(gpt).toEqual({ ...seed.models[0], tools: true, speed: 1, source: "override" });
    expect(local).toMatchObject({ provider: "openai", id: "local", source: "credential" });
    expect(seed.models[0]).toMatchObject({ tools: false, speed: 3, source: "catalogue" });
  });

  it("know nothing of a model that is only declared: no price, no tools, text alone", () => {
    const declaring = credential("my-endpoint", { models: [{ id: "local" }] });
    expect(modelsOf({ version: "1", models: [] }, [declaring], [])).toEqual([
      {
        provider: "my-endpoint",
        id: "local",
        name: "local",
        family: null,
        aliases: [],
        inputModalities: ["text"],
        outputModalities: ["text"],
        contextTokens: null,
        outputTokens: null,
        tools: false,
        temperature: true,
        reasoning: false,
        inputUsdPerMTok: null,
        outputUsdPerMTok: null,
        cachedInputUsdPerMTok: null,
        priceTiers: [],
        intelligence: null,
        speed: null,
        status: "active",
        source: "credential",
      },
    ]);
  });

  it("are known by an alias too, as the credential calls them", () => {
    const known = model("ollama/llama3.2:3b", { aliases: ["llama3.2", "llama3.2:latest"] });
    const declaring = credential("ollama", { models: [{ id: "llama3.2:latest", speed: 5 }] });
    const found = modelsOf({ version: "1", models: [known] }, [declaring], []);
    expect(found.map(nameOf)).toEqual(["ollama/llama3.2:3b", "ollama/llama3.2:latest"]);
    expect(found[1]).toEqual({
      ...known,
      id: "llama3.2:latest",
      aliases: [],
      speed: 5,
      source: "credential",
    });
    // Another provider's model does not have that alias.
    const elsewhere = credential("other", { models: [{ id: "llama3.2" }] });
    expect(modelsOf({ version: "1", models: [known] }, [elsewhere], [])[1]?.tools).toBe(false);
  });

  it("may be new ones, by override", () => {
    const override = { provider: "p", id: "a/b", change: { name: "New" } };
    expect(modelsOf(seed, [], [override]).map(nameOf)).toEqual(["openai/gpt", "p/a/b"]);
  });
});

describe("a model's credentials", () => {
  it("must name the models that they serve at Ollama, which has only pulled models", () => {
    const known = named("ollama/llama3.2:3b");
    const silent = credential("ollama", { id: "silent" });
    const empty = credential("ollama", { id: "empty", models: [] });
    const its = credential("ollama", { id: "its", models: [{ id: "llama3.2:3b" }] });
    expect(credentialsFor(known, [silent, empty, its]).map(({ id }) => id)).toEqual(["its"]);
  });

  const gpt = named("openai/gpt");
  it("are those of the model's provider that serve it, oldest first", () => {
    const all = credential("openai", { id: "all" });
    const empty = credential("openai", { id: "empty", models: [] });
    const serving = credential("openai", { id: "it", models: [{ id: "gpt" }] });
    const other = credential("openai", { id: "other", models: [{ id: "gpt-2" }] });
    const stranger = credential("google");
    const ids = credentialsFor(gpt, [other, serving, stranger, all, empty]).map(({ id }) => id);
    expect(ids).toEqual(["it", "all", "empty"]);
  });
});
