import { createReadStream, readdirSync, statSync, type Stats } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { areOutcomes, outcomes } from "../domain/audit/record.ts";
import { canonicalJson } from "../domain/canonical.ts";
import { deletionReasons } from "../domain/audit/deletion-notices.ts";
import type { ExportLine } from "../domain/audit/exports.ts";
import type { ReadLine } from "../domain/audit/verification-section.ts";
import { readFault } from "./read-fault.ts";
import { isStorePath, storedObjects, type StoredObject } from "./sink-objects.ts";

const count = z.int().min(0);
const auditKey = z.strictObject({ id: z.string(), publicKey: z.string() });
const filter = z.strictObject({
  from: z.number().optional(),
  to: z.number().optional(),
  outcome: z.string().refine(areOutcomes).optional(),
  model: z.string().optional(),
  key: z.string().optional(),
  user: z.string().optional(),
  server: z.string().optional(),
  session: z.string().optional(),
});
const range = z.tuple([z.number(), z.number()]);
const tampering = z.discriminatedUnion("what", [
  z.strictObject({
    what: z.literal("code"),
    code: z.enum(["opening", "ending", "correction"]),
    id: z.string(),
    position: count,
  }),
  z.strictObject({ what: z.literal("second"), id: z.string(), position: count }),
  z.strictObject({ what: z.literal("missing"), first: count, last: count, count }),
  z.strictObject({ what: z.literal("seals"), first: count, last: count }),
  z.strictObject({ what: z.literal("head"), number: count }),
  z.strictObject({ what: z.literal("counter"), last: count }),
]);
const checked = z.strictObject({
  tree: z.string(),
  through: count,
  open: z.array(range),
  codes: z.strictObject({ key: z.string(), since: z.number(), previousThrough: count }),
  tampered: z.array(tampering),
  replaced: z.array(range),
});
const deletion = z.strictObject({
  version: z.literal(1),
  tenantId: z.string(),
  seal: count,
  statement: z.string(),
  positions: z.array(range),
  reason: z.enum(deletionReasons),
  createdBefore: z.number().nullable(),
  at: z.number(),
  keyId: z.string(),
  signature: z.string(),
});
const seal = z.strictObject({
  version: z.literal(1),
  tenantId: z.string(),
  number: count,
  previous: z.string(),
  root: z.string(),
  count,
  firstCreatedAt: z.number(),
  lastCreatedAt: z.number(),
  sealedAt: z.number(),
  keyId: z.string(),
  signature: z.string(),
});
const header = z.strictObject({
  kind: z.literal("header"),
  version: z.literal(1),
  tenant: z.strictObject({ id: z.string(), slug: z.string() }),
  filter,
  after: count,
  through: count,
  whole: z.boolean(),
  exportedAt: z.number(),
  keys: z.array(auditKey),
  keyId: z.string(),
  signature: z.string(),
});
const line = z.discriminatedUnion("kind", [
  header,
  z.strictObject({
    kind: z.literal("section"),
    export: z.string(),
    index: count,
    seal,
    checked: checked.optional(),
    leaves: z.string(),
    records: z.array(z.string()),
    deletions: z.array(deletion).optional(),
    signature: z.string(),
  }),
  z.strictObject({
    kind: z.literal("record"),
    seal: count,
    position: count,
    // The record's leaf covers its other members.
    record: z.looseObject({
      id: z.string(),
      createdAt: z.number(),
      outcome: z.enum(outcomes),
      model: z.string().nullable(),
      who: z.looseObject({}),
    }),
  }),
  z.strictObject({
    kind: z.literal("footer"),
    export: z.string(),
    tenantId: z.string(),
    filter,
    sections: count,
    count,
    root: z.string(),
    last: z.string().nullable(),
    nextCursor: z.string().nullable(),
    waiting: count,
    unreadable: count.optional(),
    signature: z.string(),
  }),
]);

const lineBreak = 10;

/** `null` unless exactly as the router writes it. */
function parsedLine(text: string): ExportLine | null {
  try {
    const value: unknown = JSON.parse(text);
    const parsed = line.safeParse(value);
    return parsed.success && canonicalJson(value) === text ? (value as ExportLine) : null;
  } catch {
    return null;
  }
}

function readBytes(
  number: number,
  bytes: Uint8Array,
  isCut: "cut" | "whole",
): ReadLine<ExportLine> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { number, text, parsed: isCut === "cut" ? null : parsedLine(text) };
  } catch {
    return { number, text: new TextDecoder().decode(bytes), parsed: null };
  }
}

/** A last line without a line feed is incomplete. */
async function* linesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ReadLine<ExportLine>> {
  let number = 0;
  let rest: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(lineBreak); at >= 0; at = chunk.indexOf(lineBreak, from)) {
      const bytes = Buffer.concat([...rest, chunk.subarray(from, at)]);
      rest = [];
      from = at + 1;
      yield readBytes((number += 1), bytes, "whole");
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
  }
  if (rest.length > 0) yield readBytes(number + 1, Buffer.concat(rest), "cut");
}

export const readLines = (path: string): AsyncGenerator<ReadLine<ExportLine>> =>
  linesIn(createReadStream(path) as AsyncIterable<Uint8Array>);

/** Throws an error for people. */
function statOf(path: string): Stats {
  try {
    return statSync(path);
  } catch (cause) {
    throw readFault(path, cause);
  }
}

/** Files, and the parts in directories in order. */
async function filesOf(paths: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const path of paths) {
    if (!statOf(path).isDirectory()) {
      files.push(path);
      continue;
    }
    const parts: { file: string; after: number }[] = [];
    for (const name of readdirSync(path).filter((each) => each.endsWith(".ndjson"))) {
      const file = join(path, name);
      const first = await readLines(file).next();
      const firstLine = first.done === true ? null : first.value.parsed;
      parts.push({ file, after: firstLine?.kind === "header" ? firstLine.after : Infinity });
    }
    files.push(
      ...parts.toSorted((left, right) => left.after - right.after).map(({ file }) => file),
    );
  }
  return files;
}

export interface ExportSource {
  name: string;
  lines(): AsyncGenerator<ReadLine<ExportLine>>;
}

const sourceIn = ({ name, open }: StoredObject): ExportSource => ({
  name,
  lines: () => linesIn(open()),
});

/** In order. Throws an error for people. */
export async function sourcesOf(
  paths: readonly string[],
  env: Record<string, string | undefined>,
): Promise<ExportSource[]> {
  const sources: ExportSource[] = [];
  for (const path of paths)
    if (isStorePath(path)) sources.push(...(await storedObjects(path, env)).map(sourceIn));
    else
      for (const file of await filesOf([path]))
        sources.push({ name: file, lines: () => readLines(file) });
  return sources;
}
