/** Whatever is changed in an export, the verifier says so, and names what was changed. */
import * as fc from "fast-check";
import { beforeAll, afterAll, describe, expect, it } from "vitest";
import type { Stores } from "../../../src/domain/ports/stores.ts";
import { inlineBackend } from "../../setup/inline-backend.ts";
import { caller, opening, reservation, settlement, start } from "../store/fixtures.ts";
import { storesOn, value, type Opened } from "../store/open.ts";
import { sealAll } from "../store/sealing.ts";
import { exportPart, signerOf, verifyParts } from "./exporting.ts";
import { patient } from "../../setup/patience.ts";

const runs = 1_000;
const backend = inlineBackend();
let opened: Opened;
let stores: Stores;
/** The export, of three seals; another tenant's export; and the same tenant's of some moments before. */
let original: string;
let foreign: string;
let earlier: string;
let keys: Awaited<ReturnType<typeof signerOf>>["keys"];

async function filled(): Promise<{ slug: string; tenantId: string; more: () => Promise<void> }> {
  const who = await caller(stores);
  const { slug } = value(await stores.tenants.byId(who.tenantId)) ?? { slug: "" };
  const more = async (): Promise<void> => {
    for (let count = 0; count < 6; count += 1) {
      const its = reservation(who, start + count);
      value(await stores.ledger.admit(its));
      value(await stores.ledger.settle(settlement(its, start + count)));
      value(await stores.ledger.refuse(opening(who, start + count), "forbidden", "é\n=1", null));
    }
    await sealAll(stores, who.tenantId);
  };
  await more();
  return { slug, tenantId: who.tenantId, more };
}

beforeAll(async () => {
  opened = await backend.openMigrated();
  stores = storesOn(opened.db);
  const signer = await signerOf(7);
  ({ keys } = signer);
  const [mine, theirs] = [await filled(), await filled()];
  earlier = (await exportPart({ stores, signer }, mine.slug)).text;
  await mine.more();
  await mine.more();
  original = (await exportPart({ stores, signer }, mine.slug)).text;
  foreign = (await exportPart({ stores, signer }, theirs.slug)).text;
});
afterAll(() => opened.close());

interface Tampered {
  what: string;
  bytes: Uint8Array;
  /** what a finding has to name: a line, an id */
  named?: { line?: number; id?: string };
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const joined = (lines: readonly string[]): Uint8Array => bytesOf(`${lines.join("\n")}\n`);
const idOf = (line: string): string => /"id":"(req_\w{26})"/.exec(line)?.[1] ?? "";
const isRecord = (line: string): boolean => line.includes('"kind":"record"');

/** Every way of tampering, made of a few whole numbers. */
const ways: Record<string, (lines: string[], pick: (below: number) => number) => Tampered> = {
  "a bit of a byte": (lines, pick) => {
    const bytes = joined(lines);
    const at = pick(bytes.length);
    const line = bytes.subarray(0, at).filter((byte) => byte === 10).length + 1;
    bytes[at] = (bytes[at] ?? 0) ^ (1 << pick(8));
    return { what: `bit at ${at} of line ${line}`, bytes, named: { line } };
  },
  "a byte removed": (lines, pick) => {
    const bytes = joined(lines);
    const at = pick(bytes.length);
    return {
      what: `byte ${at}`,
      bytes: Uint8Array.from([...bytes.subarray(0, at), ...bytes.subarray(at + 1)]),
    };
  },
  "a field of a record": (lines, pick) => {
    const at = recordAt(lines, pick);
    const line = JSON.parse(lines[at] ?? "") as { record: Record<string, unknown> };
    const fields = ["costMicroUsd", "outcome", "model", "createdAt", "totalMs", "contentSha256"];
    const field = fields[pick(fields.length)] ?? "";
    line.record[field] =
      field === "outcome" ? "cancelled" : field === "model" ? "x/y" : 1 + pick(9);
    const id = idOf(lines[at] ?? "");
    const changed = lines.with(at, JSON.stringify(line));
    return {
      what: `${field} of line ${at + 1}`,
      bytes: joined(changed),
      named: { line: at + 1, id },
    };
  },
  "a record removed": (lines, pick) => {
    const at = recordAt(lines, pick);
    return {
      what: `line ${at + 1}`,
      bytes: joined(lines.toSpliced(at, 1)),
      named: { id: idOf(lines[at] ?? "") },
    };
  },
  "a record twice": (lines, pick) => {
    const from = recordAt(lines, pick);
    const to = 1 + pick(lines.length);
    return {
      what: `line ${from + 1} at ${to + 1}`,
      bytes: joined(lines.toSpliced(to, 0, lines[from] ?? "")),
      named: { id: idOf(lines[from] ?? "") },
    };
  },
  "a record of one's own": (lines, pick) => {
    const at = recordAt(lines, pick);
    const id = `req_${"0".repeat(25)}${pick(9)}`;
    const made = (lines[at] ?? "").replace(/"id":"req_\w+"/, `"id":"${id}"`);
    return {
      what: `after line ${at + 1}`,
      bytes: joined(lines.toSpliced(at + 1, 0, made)),
      named: { line: at + 2, id },
    };
  },
  "two lines in each other's place": (lines, pick) => {
    const [a, b] = [pick(lines.length), pick(lines.length - 1)];
    const other = b >= a ? b + 1 : b;
    const swapped = lines.with(a, lines[other] ?? "").with(other, lines[a] ?? "");
    return { what: `lines ${a + 1} and ${other + 1}`, bytes: joined(swapped) };
  },
  "a section with its records removed": (lines, pick) => {
    const sections = lines.flatMap((line, at) => (line.includes('"kind":"section"') ? [at] : []));
    const at = sections[pick(sections.length)] ?? 0;
    const following = lines.slice(at + 1).findIndex((line) => !isRecord(line));
    return { what: `from line ${at + 1}`, bytes: joined(lines.toSpliced(at, following + 1)) };
  },
  "the end": (lines, pick) => {
    const bytes = joined(lines);
    const length = pick(bytes.length);
    return { what: `after ${length} bytes`, bytes: bytes.slice(0, length) };
  },
  "whole lines of the end": (lines, pick) => {
    const left = pick(lines.length);
    return {
      what: `all after ${left}`,
      bytes: left === 0 ? bytesOf("") : joined(lines.slice(0, left)),
    };
  },
  "a line of another tenant's export": (lines, pick) => {
    const theirs = foreign.trimEnd().split("\n");
    const at = pick(lines.length);
    const from = theirs[pick(theirs.length)] ?? "";
    const isInstead = pick(2) === 0 ? 1 : 0;
    return { what: `at ${at + 1}`, bytes: joined(lines.toSpliced(at, isInstead, from)) };
  },
  "the head of an earlier export of its own": (lines, pick) => {
    const older = earlier.trimEnd().split("\n");
    const at = 1 + pick(older.length - 1);
    return { what: `to ${at}`, bytes: joined([...older.slice(0, at), ...lines.slice(at)]) };
  },
  "a section that says its record is gone": (lines, pick) => {
    const at = recordAt(lines, pick);
    const id = idOf(lines[at] ?? "");
    const said = lines.map((line) => line.replace(`"${id}"`, '"gone"')).toSpliced(at, 1);
    const line =
      1 + lines.findLastIndex((each, above) => above < at && each.includes('"kind":"section"'));
    return { what: `line ${at + 1}`, bytes: joined(said), named: { line } };
  },
  "a number in a signed line": (lines, pick) => {
    const signed = lines.flatMap((line, at) => (isRecord(line) ? [] : [at]));
    const at = signed[pick(signed.length)] ?? 0;
    const numbers = [...(lines[at] ?? "").matchAll(/(?<=:)\d+(?=[,}])/g)];
    const { 0: found, index } = numbers[pick(numbers.length)] ?? { 0: "", index: 0 };
    const line = lines[at] ?? "";
    const changed =
      line.slice(0, index) + String(Number(found) + 1) + line.slice(index + found.length);
    return {
      what: `line ${at + 1}: ${found}`,
      bytes: joined(lines.with(at, changed)),
      named: { line: at + 1 },
    };
  },
  "white space": (lines, pick) => {
    const at = pick(lines.length);
    const added = (lines[at] ?? "").replace(",", [", ", ",\t", " ,"][pick(3)] ?? "");
    return {
      what: `line ${at + 1}`,
      bytes: joined(lines.with(at, added)),
      named: { line: at + 1 },
    };
  },
  "an empty line": (lines, pick) => {
    const at = pick(lines.length + 1);
    return {
      what: `before ${at + 1}`,
      bytes: joined(lines.toSpliced(at, 0, "")),
      named: { line: at + 1 },
    };
  },
};

function recordAt(lines: readonly string[], pick: (below: number) => number): number {
  const records = lines.flatMap((line, at) => (isRecord(line) ? [at] : []));
  return records[pick(records.length)] ?? 0;
}

describe("an export", () => {
  it("verifies when it is untouched", async () => {
    const { findings, records, nextCursor } = await verifyParts([original], keys);
    expect([findings, records, nextCursor]).toEqual([[], 36, null]);
    expect((await verifyParts([original], null)).findings).toEqual([]);
    for (const other of [foreign, earlier])
      expect((await verifyParts([other], keys)).findings).toEqual([]);
  });

  it("is not believed under another router's key", async () => {
    const { keys: others } = await signerOf(8);
    expect((await verifyParts([original], others)).findings[0]?.text).toMatch(
      /none of those given/,
    );
  });

  it("takes no section of another export, though its seal is the same", async () => {
    const lines = original.trimEnd().split("\n");
    const older = earlier.trimEnd().split("\n");
    expect(older[2]).toBe(lines[2]);
    const { findings } = await verifyParts([joined(lines.with(1, older[1] ?? ""))], keys);
    expect(findings).toEqual([
      { line: 2, text: "the section of seal 1 belongs to another export" },
    ]);
  });

  it("names a record once that a changed byte made unreadable", async () => {
    const lines = original.trimEnd().split("\n");
    const at = lines.findIndex(isRecord);
    const garbled = lines.with(at, (lines[at] ?? "").replace('"outcome"', '"outcomE"'));
    expect((await verifyParts([joined(garbled)], keys)).findings).toEqual([
      { line: at + 1, text: `${idOf(lines[at] ?? "")} is not a line of this router` },
    ]);
  });

  it(
    `does not verify after any of ${runs} random changes`,
    { timeout: patient(120_000) },
    async () => {
      const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
      console.info(`tampering with seed ${seed}`);
      const lines = original.trimEnd().split("\n");
      const before = joined(lines);
      const caught = new Map<string, number>();
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...Object.keys(ways)),
          fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
            minLength: 6,
            maxLength: 6,
          }),
          async (way, chances) => {
            let next = 0;
            const pick = (below: number): number => Math.floor((chances[next++] ?? 0) * below);
            const made = ways[way]?.(lines, pick);
            if (made === undefined) throw new Error(way);
            fc.pre(Buffer.compare(made.bytes, before) !== 0);
            const { findings } = await verifyParts([made.bytes], keys);
            const told = findings.map(({ line, text }) => `${line}: ${text}`).join("\n");
            expect(findings, `${way}, ${made.what}`).not.toEqual([]);
            const { line, id } = made.named ?? {};
            if (line !== undefined)
              expect(
                findings.map((finding) => finding.line),
                `${way}, ${made.what}\n${told}`,
              ).toContain(line);
            if (id !== undefined) expect(told, `${way}, ${made.what}`).toContain(id);
            caught.set(way, (caught.get(way) ?? 0) + 1);
          },
        ),
        { numRuns: runs, seed },
      );
      expect([...caught.values()].reduce((sum, count) => sum + count, 0)).toBe(runs);
      expect([...caught.keys()].toSorted()).toEqual(Object.keys(ways).toSorted());
    },
  );
});
