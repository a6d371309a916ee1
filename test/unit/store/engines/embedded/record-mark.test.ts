/** The mark of the last records is written rarely, small, and again after an error. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  createRecordMark,
  readRecordMark,
  removeRecordMark,
} from "../../../../../src/store/engines/embedded/record-mark.ts";
import type { RecordNumbers } from "../../../../../src/store/records/record-numbers.ts";

describe("the record mark", () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "sampling-router-"));
    path = join(folder, "router.sqlite");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const given = (numbers: RecordNumbers | null) => {
    const read = vi.fn(async () => numbers);
    return { mark: createRecordMark(path, read), read };
  };

  it("has the numbers of the last note, and asks for none while nothing is committed", async () => {
    const { mark, read } = given({ ten_a: 3 });
    await mark.note();
    expect(readRecordMark(path)).toEqual({ ten_a: 3 });
    await mark.note();
    expect(read).toHaveBeenCalledTimes(1);
    read.mockResolvedValue({ ten_a: 4, ten_b: 1 });
    mark.committed();
    await mark.note();
    expect(readRecordMark(path)).toEqual({ ten_a: 4, ten_b: 1 });
    expect(readdirSync(folder)).toEqual(["router.sqlite.records.json"]);
  });

  it("is written again only where a number has changed", async () => {
    const { mark } = given({ ten_a: 3 });
    await mark.note();
    removeRecordMark(path);
    mark.committed();
    await mark.note();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("replaces the file of the run before, even where nothing is left", async () => {
    writeFileSync(`${path}.records.json`, '{"ten_a":3}');
    await given({}).mark.note();
    expect(readRecordMark(path)).toEqual({});
  });

  it("tries again what could not be read", async () => {
    const { mark, read } = given(null);
    await mark.note();
    expect(readRecordMark(path)).toEqual({});
    read.mockResolvedValue({ ten_a: 1 });
    await mark.note();
    expect(readRecordMark(path)).toEqual({ ten_a: 1 });
  });

  it("tries again what could not be written", async () => {
    rmSync(folder, { recursive: true });
    const { mark } = given({ ten_a: 1 });
    await mark.note();
    mkdirSync(folder);
    await mark.note();
    expect(readRecordMark(path)).toEqual({ ten_a: 1 });
  });

  it("stays small: it has the thousand tenants whose records are newest", async () => {
    const numbers = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`ten_${at}`, 1]));
    const { mark, read } = given(numbers);
    await mark.note();
    read.mockResolvedValue({ ...numbers, ten_5: 2 });
    mark.committed();
    await mark.note();
    const written = readRecordMark(path);
    expect(Object.keys(written)).toHaveLength(1_000);
    expect(written).toMatchObject({ ten_5: 2, ten_1000: 1 });
  });

  it.each(["", "{", "null", '{"ten_a":"3"}', '{"ten_a":1.5}'])("says nothing of %j", (text) => {
    writeFileSync(`${path}.records.json`, text);
    expect(readRecordMark(path)).toEqual({});
  });
});
