/** What the address of a list says, the API is asked. */
import { describe, expect, it } from "vitest";
import { askedFor, momentIn } from "../../../src/console/requests/query.ts";

describe("a day of a filter", () => {
  it("is the reader's own, from its beginning to its end", () => {
    const at = (text: string) => String(new Date(text).getTime());
    expect(momentIn("from", "2026-11-30")).toBe(at("2026-11-30T00:00"));
    expect(momentIn("to", "2026-11-30")).toBe(at("2026-12-01T00:00"));
    expect(momentIn("to", "1800000000000")).toBe("1800000000000");
    expect(momentIn("session", "2026-11-30")).toBe("2026-11-30");
  });
});

it("is asked with the filters that are set, and nothing else of the address", () => {
  expect(askedFor({ outcome: "refused", model: "", open: "req_1", cursor: "b", utm: "x" })).toEqual(
    {
      outcome: "refused",
      cursor: "b",
    },
  );
});
