/**
 * docs/providers.md: what becomes of each odd request at each wire, found out at the strict providers. `vitest -u`
 * writes the page anew.
 */
import { join } from "node:path";
import { expect, it } from "vitest";
import { exclusionWords } from "../../src/domain/exclusion-words.ts";
import type { SamplingCall } from "../../src/domain/sampling/call.ts";
import { demandsOf, misfitOf } from "../../src/domain/wires/demands.ts";
import { createProviders } from "../../src/providers/registry.ts";
import { strictWires } from "../fakes/strict-wires.ts";
import { strictFetch } from "../fakes/wire-server.ts";
import { modelOf, requestOf } from "../fixtures/providers/calls.ts";
import { calls, kinds } from "../fixtures/wires/corpus.ts";

/** A word for each change, by the beginning of its note. */
const changes: Record<string, [word: string, meaning: string]> = {
  "tools: names that": [
    "names",
    "Tools get names that the wire takes, with the original in the description.",
  ],
  "tools: names of arguments": ["arguments", "Properties get names that the wire takes."],
  "tools: schemas loosened": [
    "looser",
    "The schema allows more than it did, since the wire can't say it.",
  ],
  "tools: a second": ["once", "The second tool of one name is left out."],
  "messages: ids": ["ids", "Tool uses of the history get ids that the wire takes."],
  "messages: halves": ["U+FFFD", "Lone surrogates become U+FFFD."],
  "messages: blank text": ["blanks", "Blank text is left out."],
  "messages: an empty turn": ["turn", "An empty last turn of the assistant is left out."],
  "messages: a failed tool": ["sentence", "A failed result without content gets a sentence."],
  "messages: blanks at": [
    "trimmed",
    "Blanks at the end of the assistant's last text are left out.",
  ],
  "messages: a user's word": ["first", 'A user message, "Begin.", comes first.'],
  "messages: the assistant's word": [
    "between",
    'An assistant message, "Understood.", comes after the tool result.',
  ],
  "messages: messages of one role": ["joined", "Messages of one role are joined."],
  "stopSequences: blank": ["stops", "Blank stop sequences are left out."],
  "stopSequences left out": ["no stops", "The wire has no stop sequences."],
  "stopSequences after": ["fewer stops", "Stop sequences beyond the wire's most are left out."],
  "temperature lowered": ["cooler", "The temperature is lowered to the wire's most."],
  "temperature left out": ["no temperature", "The model takes no temperature."],
};

const wordOf = (note: string): string =>
  Object.entries(changes).find(([start]) => note.startsWith(start))?.[1][0] ?? note;

async function cellOf(at: (typeof strictWires)[number], call: SamplingCall): Promise<string> {
  const reason = misfitOf(modelOf(at.provider, at.model), demandsOf(call) ?? {});
  if (reason !== null) return `excluded: \`${reason}\``;
  const strict = strictFetch(at.wire);
  const providers = createProviders({ fetch: strict.fetch, demo: false, now: () => 0 });
  const asked = { baseUrl: "http://127.0.0.1:1/v1", call };
  const result = await providers.complete(requestOf(at, asked));
  expect(strict.refusals).toEqual([]);
  if (!result.ok) throw new Error(result.error.kind);
  return [...new Set(result.value.notes.map(wordOf))].join(", ") || "as it is";
}

it("docs/providers.md says what becomes of each request", async () => {
  const head = ["request", ...strictWires.map(({ wire }) => wire)];
  const rows = [head, head.map(() => "---")];
  for (const [kind, call] of Object.entries(calls))
    rows.push([kind, ...(await Promise.all(strictWires.map((at) => cellOf(at, call))))]);
  expect(Object.keys(calls).length).toBeGreaterThanOrEqual(60);
  const models = strictWires.map(({ wire, model }) => `\`${wire}\` by \`${model}\``).join(", ");
  const meanings = Object.values(changes).map(([word, meaning]) => `| ${word} | ${meaning} |`);
  const reasons = (
    ["tool_count", "image_format", "image_count", "image_size", "prefill"] as const
  ).map((reason) => `| \`${reason}\` | The model ${exclusionWords[reason]}. |`);
  const page = `# What each provider takes

MCP allows more than any provider takes. Before a call is sent, it is brought into the form that the model's wire takes, and
the answer comes back in the caller's words: the caller's tool names, argument names and ids. The answer's notes say what was
changed. A model whose wire can't take the request in any form is excluded from the [choice](choosing-models.md).

The rules are in \`src/domain/wires/rules.ts\`, with their sources in \`src/domain/wires/sources.ts\`. This page is generated:
each request goes to a fake provider that enforces the documented limits (\`test/fakes/strict-wires.ts\`).

The wires were tried with these models: ${models}. \`compatible\` is any other server that speaks OpenAI's Chat Completions.
A schema that is spelt another way and means the same counts as sent as it is.

| change | meaning |
|---|---|
${meanings.join("\n")}

| exclusion | meaning |
|---|---|
${reasons.join("\n")}

${rows.map((row) => `| ${row.join(" | ")} |`).join("\n")}
`;
  await expect(page).toMatchFileSnapshot(join(import.meta.dirname, "../../docs/providers.md"));
});

it("each kind of request is there at least three times, and none twice", () => {
  for (const [kind, names] of Object.entries(kinds)) {
    expect(names.length, kind).toBeGreaterThanOrEqual(3);
    for (const name of names) expect(calls, kind).toHaveProperty([name]);
  }
  expect(Object.keys(calls).filter((name) => !Object.values(kinds).flat().includes(name))).toEqual([
    "an image alone in the assistant's turn",
  ]);
  const texts = Object.values(calls).map((call) => JSON.stringify(call));
  expect(new Set(texts).size).toBe(texts.length);
});
