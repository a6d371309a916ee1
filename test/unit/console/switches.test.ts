/** The console lists kill switches with their reasons and patches one at a time. */
import { describe, expect, it } from "vitest";
import { patchOf, stopsOf, stopsServer, turnedBy } from "../../../src/console/switches.ts";

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

  it("stop a server by its own switch, and by the tenant’s", () => {
    const stopping = (stop: object) =>
      stopsServer(stopsOf({ policy: {}, stoppedByOperator: null, ...stop }), "search");
    expect(stopping({})).toBe(false);
    expect(stopping({ policy: { stopped: { servers: { other: "why" } } } })).toBe(false);
    expect(stopping({ policy: { stopped: { keys: { search: "why" } } } })).toBe(false);
    expect(stopping({ policy: { stopped: { servers: { search: "why" } } } })).toBe(true);
    expect(stopping({ policy: { stopped: { tenant: "why" } } })).toBe(true);
    expect(stopping({ stoppedByOperator: "why" })).toBe(true);
  });

  it("are turned by a patch that leaves the other switches", () => {
    expect(patchOf({ kind: "tenant", name: "" }, null)).toEqual({ stopped: { tenant: null } });
    expect(patchOf({ kind: "models", name: "a/*" }, "why")).toEqual({
      stopped: { models: { "a/*": "why" } },
    });
  });

  it("name what turned them on with the present reason", () => {
    const saved = (at: number, stopped?: object | string) => ({
      actor: `key_${at}`,
      at,
      detail: stopped === undefined ? {} : { stopped },
    });
    const own = { providers: { own: "late" } };
    const stop = { kind: "providers", name: "own", why: "late" } as const;
    const events = [saved(4, { ...own, tenant: "x" }), saved(3, own)];
    const another = saved(2, { providers: { own: "another reason" } });
    expect(turnedBy(stop, [...events, another, saved(1, own)])?.actor).toBe("key_3");
    expect(turnedBy(stop, events)?.actor).toBe("key_3");
    expect(turnedBy(stop, [])).toBeUndefined();
    const ofOperator = { kind: "operator", name: "", why: "unpaid" } as const;
    expect(turnedBy(ofOperator, [saved(2, "unpaid"), saved(1)])?.actor).toBe("key_2");
  });
});
