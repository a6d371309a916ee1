/** All writes that wait are one transaction, and one failure is its own. */
import { statSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openWriter, type Connection } from "../../../src/store/engines/embedded/connection.ts";
import {
  createGroupCommit,
  type CommitGroup,
} from "../../../src/store/engines/embedded/group-commit.ts";
import type { Statement } from "../../../src/store/engines/contract/sql.ts";
import { givenFolder } from "../../setup/engine.ts";

describe("a group of writes", () => {
  let folder: ReturnType<typeof givenFolder>;
  let connection: Connection;
  let commits: number;
  let commitGroup: CommitGroup;
  beforeEach(() => {
    folder = givenFolder();
    const real = openWriter(folder.path);
    connection = {
      ...real,
      get inTransaction() {
        return real.inTransaction;
      },
      exec(sql) {
        if (sql === "commit") commits += 1;
        real.exec(sql);
      },
    };
    commitGroup = createGroupCommit(connection, null);
    connection.exec("create table t (n integer primary key, text text)");
    commits = 0;
  });
  afterEach(() => {
    connection.close();
    folder.remove();
  });
  const insert = (n: number, text = ""): Statement => ({
    sql: "insert into t values (?, ?) returning n",
    params: [n, text],
  });
  const numbers = (): unknown[] =>
    connection.run({ sql: "select n from t order by n", params: [] }).values.flat();
  const reasons = (outcomes: ReturnType<CommitGroup>): string[] =>
    outcomes.map((outcome) => (outcome.ok ? "ok" : outcome.fault.code));

  it("is one transaction, and each write gets its own rows", () => {
    const outcomes = commitGroup([[insert(1), insert(2)], [insert(3)], []]);
    expect(outcomes.map((its) => (its.ok ? its.rows.map(({ values }) => values) : its))).toEqual([
      [[[1]], [[2]]],
      [[[3]]],
      [],
    ]);
    expect(commits).toBe(1);
  });

  it("keeps the other writes when one write fails, and nothing of the failed one", () => {
    const outcomes = commitGroup([
      [insert(1)],
      [insert(2), insert(1)],
      [{ sql: "no statement", params: [] }],
      [insert(4)],
    ]);
    expect(reasons(outcomes)).toEqual(["ok", "SQLITE_CONSTRAINT_PRIMARYKEY", "SQLITE_ERROR", "ok"]);
    expect(numbers()).toEqual([1, 4]);
    expect(commits).toBe(1);
  });

  it("finds the write that failed when the disk is full for one write", () => {
    connection.exec("pragma max_page_count = 20");
    const outcomes = commitGroup([
      [insert(1, "small")],
      [insert(2), insert(3, "x".repeat(200_000))],
      [insert(4, "small")],
    ]);
    expect(reasons(outcomes)).toEqual(["ok", "SQLITE_FULL", "ok"]);
    expect(numbers()).toEqual([1, 4]);
    expect(connection.inTransaction).toBe(false);
    connection.exec("pragma max_page_count = 1000");
    expect(reasons(commitGroup([[insert(2, "x".repeat(200_000))]]))).toEqual(["ok"]);
  });

  it("is refused as a whole while somebody else holds the file", () => {
    const other = openWriter(folder.path);
    other.exec("begin immediate");
    expect(reasons(commitGroup([[insert(1)], [insert(2)]]))).toEqual([
      "SQLITE_BUSY",
      "SQLITE_BUSY",
    ]);
    other.exec("rollback");
    other.close();
    expect(reasons(commitGroup([[insert(1)], [insert(2)]]))).toEqual(["ok", "ok"]);
  });

  it("is in the file itself once the connection is closed", () => {
    commitGroup([[insert(1)]]);
    expect(statSync(`${folder.path}-wal`).size).toBeGreaterThan(0);
    connection.close();
    expect(statSync(`${folder.path}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
    connection = openWriter(folder.path);
    expect(numbers()).toEqual([1]);
  });
});
