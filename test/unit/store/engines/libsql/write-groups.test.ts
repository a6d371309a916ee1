/** A group of writes reports to each caller the outcome of its own write. */
import { describe, expect, it } from "vitest";
import type { Bulk, Row } from "../../../../../src/store/db.ts";
import {
  createWriteGroups,
  type SendGroup,
} from "../../../../../src/store/engines/libsql/write-groups.ts";

type Told = Awaited<ReturnType<SendGroup>>;
const statement = (text: string) => ({ sql: text, params: [] });
/** Doubles every number but seven, which it leaves to its own statements. */
const doubling: Bulk<number, number> = (items) => ({
  statements: [statement(`double ${items.join(" ")}`)],
  outcomes: () => items.map((item) => (item === 7 ? null : 2 * item)),
});
const done = (rows: Row[][] = []) => ({ state: "done" as const, rows });
const failed = { state: "failed" as const, cause: new Error("this part failed") };

const once = { ifLost: "once", isAwaited: () => true } as const;
const again = { ifLost: "again", isAwaited: () => true } as const;

/** Groups that are told what `tell` says of their parts; `sent` has the texts of each. */
function givenGroups(tell: (parts: string[], turn: number) => Told) {
  const sent: string[][] = [];
  const groups = createWriteGroups(async (group) => {
    const texts = group.map((part) => part.map(({ sql }) => sql).join("; "));
    sent.push(texts);
    return tell(texts, sent.length);
  });
  return { groups, sent };
}

describe("a group of writes", () => {
  const first = (groups: ReturnType<typeof createWriteGroups>) =>
    groups.send([statement("first")], once);

  it("has one part for all callers of a bulk write, and one for each other write", async () => {
    const { groups, sent } = givenGroups((parts) => parts.map(() => done([[{ n: 1 }]])));
    const told = await Promise.all([
      first(groups),
      groups.join(doubling, 1, once),
      groups.send([statement("alone")], once),
      groups.join(doubling, 2, once),
      groups.join(doubling, 7, once),
    ]);
    expect(told).toEqual([[[{ n: 1 }]], 2, [[{ n: 1 }]], 4, null]);
    expect(sent).toEqual([["first"], ["double 1 2 7", "alone"]]);
  });

  it("leaves every caller of a bulk write that failed to its own statements", async () => {
    const { groups } = givenGroups((parts) =>
      parts.map((text) => (text.startsWith("double") ? failed : done())),
    );
    const told = await Promise.all([
      first(groups),
      groups.join(doubling, 1, once),
      groups.send([statement("alone")], once),
      groups.join(doubling, 2, once),
    ]);
    expect(told).toEqual([[], null, [], null]);
  });

  it("asks each part alone where it failed as a whole", async () => {
    const { groups, sent } = givenGroups((parts) =>
      parts.length > 1 ? null : parts.map((text) => (text === "bad" ? failed : done())),
    );
    const told = await Promise.allSettled([
      first(groups),
      groups.join(doubling, 1, once),
      groups.join(doubling, 2, once),
      groups.send([statement("bad")], once),
    ]);
    expect(told.map((each) => (each.status === "fulfilled" ? each.value : "failed"))).toEqual([
      [],
      2,
      4,
      "failed",
    ]);
    expect(sent).toEqual([["first"], ["double 1 2", "bad"], ["double 1 2"], ["bad"]]);
  });

  it("fails all of its callers where it could not begin, so that they may send again", async () => {
    const { groups } = givenGroups((_, turn) =>
      turn === 1 ? [done()] : { cause: new Error("database is locked") },
    );
    const told = await Promise.allSettled([
      first(groups),
      groups.join(doubling, 1, once),
      groups.send([statement("alone")], once),
    ]);
    expect(told.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
  });

  it("is sent once more where its answer was lost, without writes whose outcome can't be found", async () => {
    const { groups, sent } = givenGroups((parts, turn) => {
      if (turn === 2) throw new TypeError("the connection was lost");
      return parts.map(() => done());
    });
    const told = await Promise.allSettled([
      first(groups),
      groups.join(doubling, 1, again),
      groups.send([statement("once")], once),
      groups.join(doubling, 2, again),
    ]);
    expect(told.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    expect(sent.slice(1)).toEqual([["double 1 2", "once"], ["double 1 2"]]);
  });

  it("that can't be made fails its callers, and the next one is sent", async () => {
    const { groups } = givenGroups((parts) => parts.map(() => done()));
    const broken: Bulk<number, number> = () => {
      throw new Error("a bug");
    };
    await expect(groups.join(broken, 1, again)).rejects.toThrow("a bug");
    expect(await groups.join(doubling, 1, once)).toBe(2);
  });

  it("that was dealt out by a bug fails its callers, and the next one is sent", async () => {
    const { groups } = givenGroups((parts) => parts.map(() => done()));
    const broken: Bulk<number, number> = () => ({
      statements: [statement("broken")],
      outcomes() {
        throw new Error("a bug");
      },
    });
    await expect(groups.join(broken, 1, once)).rejects.toThrow("a bug");
    expect(await groups.join(doubling, 1, once)).toBe(2);
  });
});

describe("a write whose caller was refused", () => {
  /** A caller that is refused as soon as the test says so. */
  const givenCaller = (ifLost: "again" | "once") => {
    let isAwaited = true;
    return { refuse: () => (isAwaited = false), sending: { ifLost, isAwaited: () => isAwaited } };
  };

  it("is not sent after the group that it waited for", async () => {
    const { refuse, sending } = givenCaller("once");
    const { groups, sent } = givenGroups((parts) => {
      refuse();
      return parts.map(() => done());
    });
    await Promise.allSettled([
      groups.send([statement("first")], once),
      groups.send([statement("refused")], sending),
      groups.join(doubling, 1, sending),
      groups.join(doubling, 2, once),
    ]);
    expect(sent).toEqual([["first"], ["double 2"]]);
  });

  it("is not sent once more where its answer was lost", async () => {
    const { refuse, sending } = givenCaller("again");
    const { groups, sent } = givenGroups((parts, turn) => {
      if (turn > 1) return parts.map(() => done());
      refuse();
      throw new TypeError("the connection was lost");
    });
    const lost = groups.send([statement("refused")], sending);
    await expect(lost).rejects.toThrow();
    await groups.send([statement("next")], once);
    expect(sent).toEqual([["refused"], ["next"]]);
  });

  it("is not sent alone where its group failed as a whole", async () => {
    const { refuse, sending } = givenCaller("once");
    const { groups, sent } = givenGroups((parts) => {
      if (parts.length === 1) return parts.map(() => done());
      refuse();
      return null;
    });
    await Promise.allSettled([
      groups.send([statement("first")], once),
      groups.send([statement("refused")], sending),
      groups.send([statement("last")], once),
    ]);
    expect(sent).toEqual([["first"], ["refused", "last"], ["last"]]);
  });
});
