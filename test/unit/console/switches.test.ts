/** The console lists kill switches with their reasons and patches one at a time. */
import { describe, expect, it } from "vitest";
import { patchOf, stopsOf } from "../../../src/console/switches.ts";

describe("kill switches", () => {
  it("are listed with the operator's first, and each with its reason", () => {
    const policy = {
      stopped: { tenant: "late", keys: { key_1: "lost" }, providers: { openai: "bills twice" } },
    };
    expect(stopsOf({ policy, stoppedByOperator: "unpaid" })).toEqual([
      { kind: "operator", name: "", why: "unpaid" },
      { kind: "tenant", name: "", why: "late" },
      { kind: "keys", name: "key_1", why: "lost" },
      { kind: "providers", name: "openai", why: "bills twice" },
    ]);
    expect(stopsOf({ policy: {}, stoppedByOperator: null })).toEqual([]);
  });

  it("are turned by a patch that leaves the other switches", () => {
    expect(patchOf({ kind: "tenant", name: "" }, null)).toEqual({ stopped: { tenant: null } });
    expect(patchOf({ kind: "models", name: "a/*" }, "why")).toEqual({
      stopped: { models: { "a/*": "why" } },
    });
  });
});
