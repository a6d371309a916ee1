/**
 * docs/providers.md: how each unusual request is sent in each wire format, measured with the strict fake providers. `vitest -u`
 * rewrites the page.
 */
import { join } from "node:path";
import { expect, it } from "vitest";
import { exclusionMessages } from "../../src/domain/exclusion-messages.ts";
import type { SamplingCall } from "../../src/domain/sampling/call.ts";
import { demandsOf, misfitOf } from "../../src/domain/wires/demands.ts";
import { hosts, type Host } from "../../src/domain/models/hosts.ts";
import { createProviders } from "../../src/providers/registry.ts";
import { strictWires } from "../fakes/strict-wires.ts";
import { strictFetch } from "../fakes/wire-server.ts";
import { modelOf, requestOf } from "../fixtures/providers/calls.ts";
import { calls, kinds } from "../fixtures/wires/corpus.ts";

/** A word for each change, by the beginning of its note. */
const changes: Record<string, [word: string, meaning: string]> = {
  "tools: renamed": ["names", "Tools get valid names, with the original in the description."],
  "tools: arguments renamed": ["arguments", "Properties get valid names."],
  "tools: schemas loosened": [
    "looser",
    "The schema is less strict, because the wire format can't express it.",
  ],
  "tools: duplicate": ["once", "The second of two tools with one name is omitted."],
  "messages: tool use ids": ["ids", "Tool uses in the history get valid ids."],
  "messages: invalid Unicode": ["U+FFFD", "Lone surrogates are replaced with U+FFFD."],
  "messages: blank text": ["blanks", "Blank text is omitted."],
  "messages: an empty turn": ["turn", "An empty last assistant message is omitted."],
  "messages: a failed tool": ["sentence", "A failed tool result without content gets a sentence."],
  "messages: blanks at": ["trimmed", "Spaces at the end of the last assistant text are removed."],
  "messages: a user's word": ["first", 'A user message, "Begin.", is added at the start.'],
  "messages: the assistant's word": [
    "between",
    'An assistant message, "Understood.", is added after the tool result.',
  ],
  "messages: messages of one role": ["joined", "Consecutive messages of one role are merged."],
  "stopSequences: empty or blank": ["stops", "Empty or blank stop sequences are omitted."],
  "stopSequences left out": ["no stops", "Stop sequences are omitted: the wire format has none."],
  "stopSequences after": ["fewer stops", "Stop sequences beyond the maximum number are omitted."],
  "temperature lowered": ["cooler", "The temperature is lowered to the maximum."],
  "temperature left out": [
    "no temperature",
    "The temperature is omitted: the model doesn't support it.",
  ],
};

const lists = { all: "complete", some: "incomplete", none: "not read" } as const;

function recognitionOf({ baseUrl, alsoAt = [], shownBy }: Host): string {
  const shown =
    shownBy === undefined
      ? []
      : "header" in shownBy
        ? [`header \`${shownBy.header}\``]
        : "created" in shownBy
          ? [`\`created\` ${shownBy.created}`]
          : [`\`owned_by\` ${shownBy.ownedBy}`];
  const names = baseUrl === null ? alsoAt : [new URL(baseUrl).hostname, ...alsoAt];
  return [...names.map((name) => `\`${name.startsWith(".") ? `*${name}` : name}\``), ...shown].join(
    ", ",
  );
}

const words = { baseUrl: "base URL", shownBy: "recognition", lists: "list" } as const;

const hostRows = [...hosts].map(([provider, host]) =>
  [
    `\`${provider}\``,
    host.baseUrl === null ? "yours" : `\`${host.baseUrl}\``,
    lists[host.lists],
    recognitionOf(host),
    (host.unverified ?? []).map((value) => words[value]).join(", "),
    `[page](${host.source})`,
  ].join(" | "),
);

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

it("docs/providers.md shows how each request is sent", async () => {
  const head = ["request", ...strictWires.map(({ wire }) => wire)];
  const rows = [head, head.map(() => "---")];
  for (const [kind, call] of Object.entries(calls))
    rows.push([kind, ...(await Promise.all(strictWires.map((at) => cellOf(at, call))))]);
  expect(Object.keys(calls).length).toBeGreaterThanOrEqual(60);
  const models = strictWires.map(({ wire, model }) => `\`${wire}\` by \`${model}\``).join(", ");
  const meanings = Object.values(changes).map(([word, meaning]) => `| ${word} | ${meaning} |`);
  const reasons = (
    ["tool_count", "image_format", "image_count", "image_size", "prefill"] as const
  ).map((reason) => `| \`${reason}\` | The model ${exclusionMessages[reason]}. |`);
  const page = `# What each provider takes

MCP allows requests that providers refuse. The router adapts each request to the model's wire format before it sends it. In the
answer, it restores the caller's tool names, argument names and ids, and notes the changes. A model whose wire format can't carry
the request is excluded from the [selection](choosing-models.md#1-feasible-models).

This page is generated: each request is sent to fake providers that enforce the documented limits. The rules are in
\`src/domain/wires/rules.ts\`, and their sources in \`test/unit/domain/wires/sources.fixture.ts\`.

Tested models: ${models}. \`compatible\` is any other server with OpenAI's Chat Completions API. A schema that is written
differently but has the same meaning counts as unchanged.

| change | meaning |
|---|---|
${meanings.join("\n")}

| exclusion | meaning |
|---|---|
${reasons.join("\n")}

${rows.map((row) => `| ${row.join(" | ")} |`).join("\n")}

## Servers and clouds by name

With one of these names as \`provider\`, a server's error codes are understood. A [check](admin-api.md#check-a-credential)
recognizes the servers by their address or model list and returns the name as \`host\`.

A complete list names every model that the server can call: other models are [\`not_offered\`](choosing-models.md#models-available-to-a-key).
Values in *unverified* are known from public code, because the provider's pages don't document them.

| \`provider\` | base URL | model list | recognized by | unverified | source |
|---|---|---|---|---|---|
${hostRows.map((row) => `| ${row} |`).join("\n")}

| cloud | model list |
|---|---|
| \`bedrock\` | complete for the region: [\`ListFoundationModels\`](https://docs.aws.amazon.com/bedrock/latest/APIReference/API_ListFoundationModels.html) and [\`ListInferenceProfiles\`](https://docs.aws.amazon.com/bedrock/latest/APIReference/API_ListInferenceProfiles.html), not at a custom \`baseUrl\`. It doesn't show which models the account may use |
| \`azure\` | not read: the resource's [list](https://learn.microsoft.com/rest/api/azureopenai/models/list) has base models that could be deployed. Deployments are only listed by Azure Resource Manager, for which a key has no permission |
| \`vertex\` | not read: the [list](https://docs.cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/publishers.models/list) of a publisher's models depends on neither the project nor the location |
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
