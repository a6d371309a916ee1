/** A denied model is denied under every name that it has, and globs match in linear time. */
import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isAllowed } from "../../../src/domain/models/allowed.ts";
import { canonicalName } from "../../../src/domain/models/canonical-name.ts";
import { seedCatalogue } from "../../../src/domain/models/catalogue.ts";
import { approvalNeeded, type ApprovalPolicy } from "../../../src/domain/sampling/approval.ts";
import { model } from "./models.fixture.ts";
import { patient } from "../../setup/patience.ts";

const named = (name: string) => model(name);

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
    expect(performance.now() - from).toBeLessThan(patient(200));
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

const denies = (glob: string, name: string, fields = {}) =>
  !isAllowed(model(name, fields), { deniedModels: [glob] });

describe("a list that denies", () => {
  it.each([
    ["*/claude-opus*", "mybedrock/us.anthropic.claude-opus-4-8"],
    ["*/claude-opus*", "mybedrock/anthropic.claude-3-opus-20240229-v1:0"],
    ["*/claude-opus-4-8", "openrouter/anthropic/claude-opus-4.8"],
    ["*/claude-opus-4-8", "openrouter/anthropic/claude-opus-4.8:thinking"],
    ["*/anthropic/claude-opus-4.8", "anthropic/claude-opus-4-8"],
    ["anthropic/claude-opus-4-8", "vertex/publishers/anthropic/models/claude-opus-4-8@default"],
    ["anthropic/*", "mybedrock/eu.anthropic.claude-fable-5"],
    ["claude-opus-4-8", "anthropic/claude-opus-4-8"],
    ["claude-opus-*", "anthropic/claude-opus-4-8"],
    ["*/claude-3*", "mybedrock/anthropic.claude-3-opus-20240229-v1:0"],
    ["*/claude-opus-4.*", "anthropic/claude-opus-4-8"],
    ["*/gpt-3.5*", "azure/gpt-35-turbo"],
    ["*/gpt-35-turbo", "openai/gpt-3.5-turbo-0125"],
    ["*/gpt-5.6-sol", "openrouter/openai/gpt-5.6"],
    ["*/gpt-5.6", "openrouter/openai/gpt-5.6-sol"],
    ["*/gpt-4o", "openai/ft:gpt-4o-2024-08-06:acme::7p4l"],
    ["deepseek/deepseek-v4-flash", "openrouter/deepseek/deepseek-chat"],
    ["meta-llama/*", "groq/llama-3.3-70b-versatile"],
    ["*/llama-3.3*", "mybedrock/us.meta.llama3-3-70b-instruct-v1:0"],
    ["*/palmyra-*", "mybedrock/us.writer.palmyra-x5-v1:0"],
  ])("with %s denies %s", (glob, name) => {
    expect(denies(glob, name)).toBe(true);
  });

  it.each([
    ["*/claude-opus*", "mybedrock/us.anthropic.claude-sonnet-5"],
    ["*/us.*", "mybedrock/eu.anthropic.claude-sonnet-5"],
    ["openrouter/*", "anthropic/claude-sonnet-5"],
    ["openrouter/anthropic/claude-sonnet-5", "anthropic/claude-sonnet-5"],
    ["mybedrock/us.anthropic.claude-sonnet-5", "mybedrock/eu.anthropic.claude-sonnet-5"],
    ["*/gpt-5.6-luna", "openai/gpt-5.6-sol"],
    ["*/gpt-4", "openai/gpt-4o"],
    ["anthropic/claude-opus-4-8", "openai/gpt-5.5"],
  ])("with %s leaves %s", (glob, name) => {
    expect(denies(glob, name)).toBe(false);
  });

  it("denies a deployment by the display name or the alias that it was declared with", () => {
    expect(denies("*/gpt-5.5", "azure/prod-7", { name: "GPT-5.5" })).toBe(true);
    expect(denies("*/gpt-5.5*", "azure/prod-7", { aliases: ["gpt-5.5-2026-04-23"] })).toBe(true);
    expect(denies("openai/*", "azure/prod-7", { name: "GPT-5.5" })).toBe(true);
    expect(denies("*/gpt-5.5", "azure/prod-7", { like: "openai/gpt-5.5" })).toBe(true);
    expect(denies("*/gpt-4o", "azure/gpt-4o", { like: "openai/gpt-5.5" })).toBe(true);
    expect(denies("openai/*", "azure/prod-7")).toBe(false);
  });
});

it("asks for approval of a model under any of its names", () => {
  const rule: ApprovalPolicy = { mode: "request", when: { models: ["*/claude-opus*"] } };
  const facts = { costMicroUsd: 1, server: null, tool: null, modalities: [] };
  const need = (name: string) => approvalNeeded(rule, { ...facts, model: model(name) });
  expect(need("mybedrock/us.anthropic.claude-opus-4-8")?.conditions).toEqual([
    { name: "models", matches: ["*/claude-opus*"] },
  ]);
  expect(need("mybedrock/us.anthropic.claude-sonnet-5")).toBeNull();
});

describe("a list that allows", () => {
  const allows = (glob: string, name: string) => isAllowed(model(name), { allowedModels: [glob] });

  it.each([
    ["*/claude-sonnet-5", "mybedrock/us.anthropic.claude-sonnet-5-v1:0"],
    ["*/anthropic/claude-*", "mybedrock/us.anthropic.claude-sonnet-5-v1:0"],
    ["*/anthropic/claude-*", "anthropic/claude-sonnet-5"],
    ["mybedrock/claude-sonnet-*", "mybedrock/us.anthropic.claude-sonnet-5-v1:0"],
  ])("with %s allows %s", (glob, name) => {
    expect(allows(glob, name)).toBe(true);
  });

  it.each([
    ["a reseller of what a provider sells", "anthropic/*", "openrouter/anthropic/claude-sonnet-5"],
    ["a reseller", "anthropic/claude-sonnet-5", "mybedrock/us.anthropic.claude-sonnet-5-v1:0"],
    [
      "a free copy, which may train on prompts",
      "*/gpt-oss-120b",
      "openrouter/openai/gpt-oss-120b:free",
    ],
    ["another spelling of the version", "openai/gpt-4-*", "openai/gpt-4.1"],
    ["what was tuned from a model", "*/gpt-4o", "openai/ft:gpt-4o-2024-08-06:acme::7p4l"],
  ])("does not reach %s: %s, %s", (_, glob, name) => {
    expect(allows(glob, name)).toBe(false);
  });
});

const fixture = JSON.parse(
  readFileSync(new URL("../../fixtures/models-dev/names.json", import.meta.url), "utf8"),
) as { models: Record<string, Record<string, string>> };

/** All names of each model, by what the catalogue and models.dev say of them and not by what we read. */
function namesByModel(): string[][] {
  const groups = new Map<string, Set<string>>();
  const add = (key: string, name: string): void => {
    groups.set(key, (groups.get(key) ?? new Set<string>()).add(name));
  };
  for (const { provider, id, aliases } of seedCatalogue.models)
    if (provider !== "ollama") for (const name of [id, ...aliases]) add(`${provider}/${id}`, name);
  for (const of of Object.values(fixture.models))
    for (const [id, base] of Object.entries(of)) if (base !== "") add(base, id);
  return [...groups.values()].map((names) => [...names]);
}

describe("a denied model", () => {
  const groups = namesByModel().filter(
    (names) => !names.some((name) => name.includes("distill")) && names.length > 1,
  );

  it("is denied under every name that the catalogue and models.dev have for it", () => {
    expect(groups.length).toBeGreaterThan(60);
    const leaks: string[] = [];
    for (const names of groups)
      for (const denied of names)
        for (const name of names)
          for (const glob of [`*/${denied}`, `*/${denied.slice(denied.lastIndexOf("/") + 1)}`])
            if (!denies(glob, `mine/${name}`)) leaks.push(`${glob} leaves ${name}`);
    expect(leaks).toEqual([]);
  });

  it("is denied by its canonical name, whole or begun, wherever it is served", () => {
    const leaks: string[] = [];
    for (const name of groups.flat()) {
      const canonical = canonicalName(name);
      if (canonical === null) continue;
      const [maker = "", plain = ""] = canonical.split("/");
      for (const glob of [canonical, `*/${plain}`, `*/${plain}*`, `${maker}/*`, `*/${maker}/*`])
        if (!denies(glob, `mine/${name}`)) leaks.push(`${glob} leaves ${name}`);
    }
    expect(leaks).toEqual([]);
  });

  it("takes no other model of the lists with it", () => {
    const all = [...new Set(Object.values(fixture.models).flatMap((of) => Object.keys(of)))].map(
      (name) => ({ canonical: canonicalName(name) ?? name, its: model(`mine/${name}`) }),
    );
    const wrong = all.flatMap(({ canonical, its: { id } }) =>
      all
        .filter((other) => other.canonical !== canonical)
        .filter(({ its }) => !isAllowed(its, { deniedModels: [`*/${id}`] }))
        .map(({ its }) => `${id} takes ${its.id}`),
    );
    expect(wrong).toEqual([]);
  });
});
