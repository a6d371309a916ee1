/** The table of `test/fixtures/choice/requests-of-authors.md`, through the real seed and the real choice. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { seedCatalogue } from "../../../src/domain/models/catalogue.ts";
import { poolFrom } from "../../../src/domain/choice/model-pool.ts";
import { choose } from "../../../src/domain/choice/selection.ts";
import type { JsonObject } from "../../../src/domain/json.ts";
import { codecFor } from "../../../src/mcp/era.ts";
import { credential } from "./models.fixture.ts";

const providers = ["openai", "anthropic", "google"] as const;
type Cell = (typeof providers)[number] | "together";

interface AuthorRequest {
  number: string;
  hints: string[];
  priorities: (number | null)[];
  content: string;
  maxTokens: number;
  cells: Record<Cell, string>;
  note: string;
}

const page = readFileSync(
  new URL("../../fixtures/choice/requests-of-authors.md", import.meta.url),
  "utf8",
);

function rowFrom(line: string): AuthorRequest {
  const [number = "", , hints = "", priorities = "", content = "", max = "", ...rest] = line
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim());
  const [openai = "", anthropic = "", google = "", together = "", note = ""] = rest;
  return {
    number,
    hints: hints === "-" ? [] : hints.split(", "),
    priorities: priorities.split(" ").map((word) => (word === "-" ? null : Number(word))),
    content,
    maxTokens: Number(max),
    cells: { openai, anthropic, google, together },
    note,
  };
}

const rows = page
  .split("\n")
  .filter((line) => /^\| \d/.test(line))
  .map(rowFrom);

const block = (content: JsonObject): JsonObject => ({ messages: [{ role: "user", content }] });
const text = (words: string): JsonObject => block({ type: "text", text: words });
const asking = (modality: string): JsonObject => ({
  ...text("A cat in a hat"),
  metadata: { "sampling-router/outputModalities": [modality] },
});
const contents: Record<string, (tokens: number) => JsonObject> = {
  text: (tokens) => text("The fox ran over the hill again. ".repeat(Math.max(1, tokens / 8))),
  json: (tokens) =>
    text(JSON.stringify(Array.from({ length: tokens / 10 }, (_, id) => ({ id, name: "fox" })))),
  image: () => block({ type: "image", data: "aGk=", mimeType: "image/png" }),
  audio: () => block({ type: "audio", data: "aGk=", mimeType: "audio/wav" }),
  tools: () => ({
    ...text("Find the newest report and summarize it."),
    tools: [{ name: "search", inputSchema: { type: "object" } }],
  }),
  "to image": () => asking("image"),
  "to audio": () => asking("audio"),
};

function paramsOf({ hints, priorities, content, maxTokens }: AuthorRequest): JsonObject {
  const [cost, speed, intelligence] = priorities;
  const [, kind = "", thousands = "0"] = /^(\D+?)(?: (\d+)k)?$/.exec(content) ?? [];
  return {
    ...contents[kind]?.(Number(thousands) * 1_000),
    modelPreferences: {
      hints: hints.map((name) => ({ name })),
      ...(typeof cost === "number" && { costPriority: cost }),
      ...(typeof speed === "number" && { speedPriority: speed }),
      ...(typeof intelligence === "number" && { intelligencePriority: intelligence }),
    },
    maxTokens,
  };
}

const poolOf = (names: readonly string[]) =>
  poolFrom({
    models: seedCatalogue.models,
    credentials: names.map((name) => credential(name)),
    catalogueVersion: seedCatalogue.version,
    policy: {},
  });
const pools = {
  openai: poolOf(["openai"]),
  anthropic: poolOf(["anthropic"]),
  google: poolOf(["google"]),
  together: poolOf(providers),
};

/** `none` where no model is feasible; `about`: what the decision says of the hints. */
function picked(request: AuthorRequest, cell: Cell): { name: string; about: string[] } {
  const call = codecFor("2025-11-25")?.decodeCall(paramsOf(request));
  if (call?.ok !== true) throw new Error(JSON.stringify(call));
  const plan = choose(call.value, pools[cell]);
  if (!plan.ok) return { name: "none", about: [] };
  const { provider, model, notes } = plan.value.decision;
  return {
    name: `${provider}/${model}`,
    about: notes.filter((note) => note.startsWith("hint ")),
  };
}

const isProvider = (name: string): name is (typeof providers)[number] =>
  providers.some((provider) => provider === name);

/** `A / now B` is B as long as the router chooses B. */
const currentOf = (written: string): string => written.split(" / now ").at(-1) ?? written;

const isOtherwise = (written: string): boolean => written.includes(" / now ");

function expectedIn({ cells }: AuthorRequest, cell: Cell): string {
  const current = currentOf(cells[cell]);
  if (current === "none") return current;
  if (cell !== "together") return `${cell}/${current}`;
  return isProvider(current) ? `${current}/${currentOf(cells[current])}` : current;
}

const saidOf: Record<string, (hint: string) => string> = {
  unknown: (hint) => `hint "${hint}" matched no model`,
  "no successor": (hint) => `hint "${hint}" names a model that has no successor here`,
};

function noteExpected({ note, hints }: AuthorRequest): string[] {
  const current = currentOf(note);
  if (current === "" || current === "-") return [];
  const [, said = "", other] = /^(.*?)(?: \((.*)\))?$/.exec(current) ?? [];
  const hint = other ?? hints[0] ?? "";
  return [saidOf[said]?.(hint) ?? `hint "${hint}" was read as "${said.replace("read as ", "")}"`];
}

describe("the requests of servers' authors", () => {
  it("are eighty and more", () => {
    expect(rows.length).toBeGreaterThanOrEqual(80);
  });

  it("that the router answers otherwise are counted in the docs", () => {
    const docs = new URL("../../../docs/choosing-models.md", import.meta.url);
    const others = rows.flatMap((request) => Object.values(request.cells)).filter(isOtherwise);
    const counted = `In ${others.length} of the ${rows.length * 4} results`;
    expect(readFileSync(docs, "utf8")).toContain(counted);
  });

  const cells = rows.flatMap((request) =>
    ([...providers, "together"] as const).map(
      (cell) => [request.number, request.hints.join(", "), cell, request] as const,
    ),
  );
  it.each(cells)("%s (%s) get the expected model: %s", (_, __, cell, request) => {
    const { name, about } = picked(request, cell);
    const expected = expectedIn(request, cell);
    const notes = name === "none" ? [] : noteExpected(request);
    expect({ name, about }).toEqual({ name: expected, about: notes });
  });
});
