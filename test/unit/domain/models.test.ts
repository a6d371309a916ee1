/** Changed prices drop the prices that depended on them; declared models and credentials find each other. */
import { modelsOf } from "../../../src/domain/models/tenant-models.ts";
import { describe, expect, it } from "vitest";
import { credentialsFor, nameOf, type ModelChange } from "../../../src/domain/models/model.ts";
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

  it("are those of the catalogue by another name, where a credential says so", () => {
    const catalogue = {
      version: "1",
      models: [
        model("openai/gpt-5-mini", { temperature: false, aliases: ["gpt-5-mini-2025-08-07"] }),
        model("anthropic/claude-opus-4-6", {
          reasoningControl: {
            efforts: ["none"],
            byDefault: "none",
            sentAs: "anthropic_adaptive",
            source: "",
          },
        }),
      ],
    };
    const models = [
      { id: "prod-small", like: "openai/gpt-5-mini", contextTokens: 5_000 },
      { id: "dated", like: "openai/gpt-5-mini-2025-08-07" },
      { id: "big", like: "anthropic/claude-opus-4-6" },
      { id: "gone", like: "openai/gone" },
    ];
    const all = modelsOf(catalogue, [credential("azure", { models })], []);
    const of = (id: string) => all.find((each) => each.provider === "azure" && each.id === id);
    expect(of("prod-small")).toMatchObject({
      like: "openai/gpt-5-mini",
      temperature: false,
      inputUsdPerMTok: catalogue.models[0]?.inputUsdPerMTok,
      contextTokens: 5_000,
      aliases: [],
      source: "credential",
    });
    expect(of("dated")).toMatchObject({ temperature: false });
    // Only Anthropic's own API is asked so.
    expect(of("big")?.reasoningControl).toBeUndefined();
    expect(of("gone")).toMatchObject({ temperature: true, inputUsdPerMTok: null });
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
