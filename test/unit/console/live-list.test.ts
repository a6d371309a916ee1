/** A live list shows each record once, in its latest state. */
import { describe, expect, it } from "vitest";
import { mergedWith, momentIn, withLive } from "../../../src/console/requests/live-list.ts";
import type { RequestRecord } from "../../../src/console/requests/record.ts";

const record = (id: string, changes: Partial<RequestRecord> = {}): RequestRecord =>
  ({
    id,
    outcome: "succeeded",
    createdAt: 1_000,
    model: "own/works",
    who: { keyId: "key_1", serverId: null, sessionId: null },
    ...changes,
  }) as RequestRecord;
const runs = { outcome: "admitted" } as const;
const all = { query: {}, max: 3, nextCursor: null };
const idsOf = ({ rows }: { rows: RequestRecord[] }) => rows.map(({ id }) => id);

describe("a list with what was heard since", () => {
  it("has a new record once, above the older ones", () => {
    const heard = mergedWith(new Map(), [record("c", runs), record("c")]);
    const shown = withLive([record("b"), record("a")], heard, all);
    expect(idsOf(shown)).toEqual(["c", "b", "a"]);
    expect(shown.rows[0]?.outcome).toBe("succeeded");
  });

  it("never shows a call as running that has ended, whatever comes later", () => {
    const heard = mergedWith(new Map(), [record("a", runs)]);
    expect(withLive([record("a")], heard, all).rows[0]?.outcome).toBe("succeeded");
    expect(mergedWith(mergedWith(new Map(), [record("a")]), [record("a", runs)]).get("a")).toEqual(
      record("a"),
    );
  });

  it("goes on after its last row where news pushed older rows out", () => {
    const heard = mergedWith(new Map(), [record("d")]);
    const listed = [record("c"), record("b"), record("a")];
    const shown = withLive(listed, heard, { ...all, nextCursor: "a" });
    expect([idsOf(shown), shown.nextCursor]).toEqual([["d", "c", "b"], "b"]);
    const short = withLive([record("a")], heard, { ...all, nextCursor: null });
    expect(short.nextCursor).toBe(null);
  });

  it.each([
    [{ id: "b" }],
    [{ outcome: "refused" }],
    [{ held: "false" }],
    [{ model: "own/other" }],
    [{ key: "key_2" }],
    [{ user: "usr_2" }],
    [{ server: "srv_1" }],
    [{ session: "ses_1" }],
    [{ from: "1001" }],
    [{ to: "1000" }],
    [{ from: "2026-11-21" }],
  ])("leaves out what the filter %o leaves out", (query) => {
    const heard = mergedWith(new Map(), [record("a")]);
    expect(idsOf(withLive([], heard, { ...all, query }))).toEqual([]);
  });

  it("leaves out a call that ended otherwise than the filter says", () => {
    const heard = mergedWith(new Map(), [record("a")]);
    const shown = withLive([record("a", runs)], heard, { ...all, query: { outcome: "admitted" } });
    expect(idsOf(shown)).toEqual([]);
  });
});

describe("a day of a filter", () => {
  it("is the reader's own, from its beginning to its end", () => {
    const at = (text: string) => String(new Date(text).getTime());
    expect(momentIn("from", "2026-11-30")).toBe(at("2026-11-30T00:00"));
    expect(momentIn("to", "2026-11-30")).toBe(at("2026-12-01T00:00"));
    expect(momentIn("to", "1800000000000")).toBe("1800000000000");
    expect(momentIn("session", "2026-11-30")).toBe("2026-11-30");
  });
});
