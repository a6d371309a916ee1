/** The lists of providers as a source of the catalogue that ships. No test reaches a provider. */
import { describe, expect, it } from "vitest";
import type { Curated } from "../../../src/cli/refresh/build.ts";
import { readCurated, rebuild } from "../../../src/cli/refresh/refresh.ts";
import { apiJsonOf } from "../../fakes/models-dev.ts";
import { model } from "../domain/models.fixture.ts";

const today = "2026-11-26";
const key = "sk-a-key-that-nobody-may-see";

const curated: Curated = {
  day: "2026-11-20",
  packages: readCurated().packages,
  excluded: { "Shut down": ["openai/gpt-8-old"] },
  models: [
    { provider: "openai", id: "gpt-8", inputUsdPerMTok: 1 },
    { provider: "openai", id: "gpt-8-mini", aliases: ["gpt-8-mini-latest"] },
    { provider: "openai", id: "gpt-8-gone" },
    { provider: "openai", id: "gpt-7", status: "retired" },
    { provider: "anthropic", id: "claude-sonnet-8" },
  ],
};
const modelsDev = apiJsonOf([model("openai/gpt-8"), model("openai/gpt-9")]);
const ids = (...listed: string[]) => ({ data: listed.map((id) => ({ id })) });
const openaiList = ids(
  "gpt-8",
  "gpt-8-mini-2026-10-01",
  "gpt-9",
  "gpt-9-vega",
  "gpt-8-old",
  "gpt-7",
  "text-embedding-8",
);

function rebuilt(lists: Record<string, unknown>, env: Record<string, string>) {
  const asked: string[] = [];
  const fetch = async (input: string | URL | Request): Promise<Response> => {
    const { hostname } = new URL(String(input));
    asked.push(hostname);
    if (hostname === "models.test") return Response.json(modelsDev);
    if (lists[hostname] === undefined) throw new TypeError("fetch failed");
    return Response.json(lists[hostname]);
  };
  const done = rebuild(curated, {
    file: null,
    day: today,
    today,
    url: "https://models.test/api.json",
    env,
    fetch,
  });
  return { done, asked };
}

async function linesOf(lists: Record<string, unknown>, env: Record<string, string>) {
  const { done, asked } = rebuilt(lists, env);
  const result = await done;
  if (!result.ok) throw new Error(result.error);
  expect(JSON.stringify(result)).not.toContain(key);
  return { ...result.value, asked };
}

describe("a refresh of the catalogue", () => {
  it("reads the list of each provider whose key is at hand, before other sources", async () => {
    const { lines, asked } = await linesOf(
      { "api.openai.com": openaiList },
      { OPENAI_API_KEY: key },
    );
    expect(asked).toEqual(["api.openai.com", "models.test"]);
    expect(lines.slice(0, 2)).toEqual([
      "anthropic: ANTHROPIC_API_KEY is not set, so its list of models was not read.",
      "google: GEMINI_API_KEY is not set, so its list of models was not read.",
    ]);
  });

  it("prints what only the list has, and where the list contradicts the catalogue", async () => {
    const { lines } = await linesOf({ "api.openai.com": openaiList }, { OPENAI_API_KEY: key });
    expect(lines.filter((line) => line.includes("openai's list"))).toEqual([
      `openai/gpt-9: missing from curated.json (openai's list ${today}); figures: models.dev ${today}`,
      `openai/gpt-9-vega: missing from curated.json (openai's list ${today}); figures: unverified, no source has them`,
      `openai/gpt-7 status: "retired" (catalogue), listed (openai's list ${today})`,
      `openai/gpt-8-gone status: "active" (catalogue), not listed (openai's list ${today})`,
    ]);
  });

  it("notes the list and its day as the source of a model's id", async () => {
    const { catalogue } = await linesOf({ "api.openai.com": openaiList }, { OPENAI_API_KEY: key });
    const [label, day] = [`openai's list ${today}`, catalogue.version];
    expect(day).toBe(today);
    const listed = Object.entries(catalogue.taken).filter(([, taken]) => label in taken);
    expect(listed.map(([name, taken]) => [name, taken[label]])).toEqual([
      ["openai/gpt-7", ["id"]],
      ["openai/gpt-8", ["id"]],
      ["openai/gpt-8-mini", ["id"]],
    ]);
    expect(catalogue.rows.map(({ id }) => id)).not.toContain("gpt-9");
  });

  it.each([
    ["is cut", { ...ids("gpt-8"), has_more: true, last_id: "gpt-8" }],
    ["is empty", ids()],
  ])("concludes nothing from a list that %s", async (_, list) => {
    const { lines } = await linesOf({ "api.openai.com": list }, { OPENAI_API_KEY: key });
    expect(lines).toContain("openai: its list of models is incomplete, so it proves nothing.");
    expect(lines.join("\n")).not.toContain("openai's list");
  });

  it("asks no address other than the provider's own", async () => {
    const { lines, asked } = await linesOf(
      {},
      { OPENAI_API_KEY: key, OPENAI_BASE_URL: "https://gateway.test/v1" },
    );
    expect(asked).toEqual(["models.test"]);
    expect(lines).toContain(
      "openai: OPENAI_BASE_URL is set, so its own list of models was not read.",
    );
  });

  it("ends without a network, as it does for its other sources", async () => {
    const result = await rebuilt({}, { OPENAI_API_KEY: key }).done;
    expect(result).toEqual({
      ok: false,
      error:
        "openai: no list of models could be read. Check OPENAI_API_KEY and the network, or unset OPENAI_API_KEY.",
    });
  });
});
