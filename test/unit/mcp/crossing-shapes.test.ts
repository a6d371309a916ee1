/** Shapes that one revision's schema takes and another's rejects, in everything that crosses between the eras. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

interface Schema {
  $ref?: string;
  type?: string | string[];
  anyOf?: Schema[];
  const?: unknown;
  enum?: unknown[];
  maxItems?: number;
  minimum?: number;
  format?: string;
  items?: Schema;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  description?: string;
}
type Definitions = Record<string, Schema>;

const root = fileURLToPath(new URL("../../../", import.meta.url));
const definitions = (revision: string): Definitions => {
  const text = readFileSync(`${root}test/fixtures/mcp-schema/${revision}.json`, "utf8");
  const schema = JSON.parse(text) as { $defs?: Definitions; definitions?: Definitions };
  return schema.$defs ?? schema.definitions ?? {};
};

interface Side {
  all: Definitions;
  schema: Schema | undefined;
}
const resolved = ({ all, schema }: Side): Schema => {
  let at = schema ?? {};
  while (at.$ref !== undefined) at = all[at.$ref.split("/").at(-1) ?? ""] ?? {};
  return at;
};
const typesOf = ({ type }: Schema): string[] | null => (type === undefined ? null : [type].flat());
/** The member that tells the variants of a union apart. */
const tagOf = (schema: Schema): string => {
  const tag = schema.properties?.["type"]?.const;
  return typeof tag === "string" ? tag : JSON.stringify([schema.type, schema.required]);
};

/** Every path at which the reader may reject what the writer may write. */
function rejected(writer: Side, reader: Side, path: string, depth = 0): string[] {
  const [from, to] = [resolved(writer), resolved(reader)];
  if (depth > 12) return [];
  const deeper = (a: Schema | undefined, b: Schema | undefined, at: string): string[] =>
    rejected({ ...writer, schema: a }, { ...reader, schema: b }, at, depth + 1);
  if (from.anyOf !== undefined || to.anyOf !== undefined) {
    const variants = (side: Side, schema: Schema): Schema[] =>
      (schema.anyOf ?? [schema]).map((one) => resolved({ ...side, schema: one }));
    const readable = variants(reader, to);
    return variants(writer, from).flatMap((one) => {
      const same = readable.find((other) => tagOf(other) === tagOf(one));
      return same === undefined ? [`${path} = ${tagOf(one)}`] : deeper(one, same, path);
    });
  }
  const found: string[] = [];
  const [written, readTypes] = [typesOf(from), typesOf(to)];
  const narrower =
    readTypes !== null &&
    !(written ?? ["any"]).every((type) => readTypes.includes(type) || type === "integer");
  const bounded =
    (to.const !== undefined && to.const !== from.const) ||
    (to.enum ?? []).length < (to.enum === undefined ? 0 : (from.enum?.length ?? Infinity)) ||
    (["maxItems", "minimum", "format"] as const).some(
      (name) => to[name] !== undefined && to[name] !== from[name],
    );
  if (narrower || bounded) found.push(path);
  if (to.items !== undefined) found.push(...deeper(from.items, to.items, `${path}[]`));
  for (const name of to.required ?? [])
    if (from.required?.includes(name) !== true) found.push(`${path}.${name}`);
  for (const [name, schema] of Object.entries(to.properties ?? {})) {
    const same = from.properties?.[name];
    // A name that the writer's revision leaves free may hold anything.
    if (same !== undefined) found.push(...deeper(same, schema, `${path}.${name}`));
    else if (Object.keys(resolved({ ...reader, schema })).some((key) => key !== "description"))
      found.push(`${path}.${name}`);
  }
  if (typeof to.additionalProperties === "object") {
    const { additionalProperties: more } = from;
    const value = typeof more === "object" ? more : {};
    found.push(...deeper(value, to.additionalProperties, `${path}.*`));
  }
  return found;
}

const results = [
  "ListToolsResult",
  "CallToolResult",
  "ListPromptsResult",
  "GetPromptResult",
  "ListResourcesResult",
  "ListResourceTemplatesResult",
  "ReadResourceResult",
  "CompleteResult",
];
const messages = [
  "ListToolsRequest",
  "CallToolRequest",
  "ListPromptsRequest",
  "GetPromptRequest",
  "ListResourcesRequest",
  "ListResourceTemplatesRequest",
  "ReadResourceRequest",
  "CompleteRequest",
];
const notes = ["ProgressNotification", "LoggingMessageNotification"];

function walk(from: string, to: string, names: readonly string[]): Set<string> {
  const [writer, reader] = [definitions(from), definitions(to)];
  const side = (all: Definitions, name: string): Side => {
    const schema = all[name];
    expect(schema, name).toBeDefined();
    // The members that all messages of a kind share are no shape of one message.
    return { all, schema: name.endsWith("Result") ? schema : schema?.properties?.["params"] };
  };
  return new Set(
    names.flatMap((name) =>
      rejected(side(writer, name), side(reader, name), name.replace(/Result$/, "")),
    ),
  );
}

/** The rows of the table below a heading of the page: patterns, where `*` stands for anything. */
function rowsUnder(heading: string): string[] {
  const page = readFileSync(`${root}docs/protocol-versions.md`, "utf8");
  const [, part] = page.split(`\n### ${heading}\n`);
  const [table] = (part ?? "").split("\n#");
  return [...(table ?? "").matchAll(/^\| ((?:`[^`]+`(?:, )?)+)/gm)].flatMap(([, cell]) =>
    [...(cell ?? "").matchAll(/`([^`]+)`/g)].map(([, pattern]) => pattern ?? ""),
  );
}
const matches = (pattern: string, path: string): boolean =>
  new RegExp(
    `^${pattern
      .split("*")
      .map((part) => part.replace(/[.[\]/$()]/g, "\\$&"))
      .join(".*")}$`,
  ).test(path);

const modern = "2026-07-28";
const latest = "2025-11-25";
const older = [latest, "2025-06-18", "2025-03-26", "2024-11-05"];

describe("the page names every shape that one side rejects, and no other:", () => {
  const found = (from: readonly string[], to: readonly string[], names: readonly string[]) =>
    new Set(from.flatMap((one) => to.flatMap((other) => [...walk(one, other, names)])));
  it.each([
    ["Answers of a 2026-07-28 server", found([modern], older, [...results, ...notes])],
    ["Answers of an older server", found([latest], [modern], [...results, ...notes])],
    ["Requests of an older client", found([latest], [modern], messages)],
    ["Requests of a 2026-07-28 client", found([modern], older, messages)],
  ])("%s", (heading, paths) => {
    const rows = rowsUnder(heading);
    expect(paths.size).toBeGreaterThan(0);
    expect([...paths].filter((path) => !rows.some((row) => matches(row, path)))).toEqual([]);
    expect(rows.filter((row) => ![...paths].some((path) => matches(row, path)))).toEqual([]);
  });
});
