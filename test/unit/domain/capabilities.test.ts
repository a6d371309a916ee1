/** Declared capabilities are reduced to what a protocol revision defines. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  forVersion,
  missingFrom,
  outlineOf,
  supportedModalities,
  supports,
  type Capability,
} from "../../../src/domain/sampling/capabilities.ts";
import type { JsonObject } from "../../../src/domain/json.ts";

const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
const capabilities: Capability[] = [
  "roots",
  "roots.listChanged",
  "sampling",
  "sampling.tools",
  "sampling.context",
  "elicitation",
  "elicitation.form",
  "elicitation.url",
  "tasks",
  "experimental",
  "extensions",
];
const everything: JsonObject = {
  roots: { listChanged: true },
  sampling: { tools: {}, context: {}, supportedModalities: ["text", "image"] },
  elicitation: { form: {}, url: {} },
  tasks: { list: {}, requests: { sampling: { createMessage: {} } } },
  experimental: { "x-one": {} },
  extensions: { "io.example/one": {} },
};

const hostile = fc.constantFrom(null, true, 0, "", [], {}, { tools: {} }, { form: {} }, [1]);
const anyCapabilities = fc.dictionary(
  fc.constantFrom(
    "roots",
    "sampling",
    "elicitation",
    "tasks",
    "experimental",
    "extensions",
    "__proto__",
    "constructor",
    "future",
  ),
  fc.oneof(
    hostile,
    fc.record(
      {
        listChanged: fc.oneof(fc.boolean(), hostile),
        tools: hostile,
        context: hostile,
        supportedModalities: fc.oneof(
          fc.array(fc.constantFrom("text", "image", "audio", "smell")),
          hostile,
        ),
        form: hostile,
        url: hostile,
        list: hostile,
        requests: hostile,
        "io.example/one": hostile,
      },
      { requiredKeys: [] },
    ),
  ),
) as fc.Arbitrary<JsonObject>;

describe("forVersion", () => {
  // cites: C-001, C-002, C-003, C-004, C-006
  it("drops what a revision does not know yet, and keeps a bare parent", () => {
    expect(forVersion(everything, "2024-11-05")).toEqual({
      roots: { listChanged: true },
      sampling: { supportedModalities: ["text", "image"] },
      experimental: { "x-one": {} },
    });
    expect(forVersion(everything, "2025-06-18")).toMatchObject({ elicitation: {} });
    expect(forVersion(everything, "2025-11-25")).toEqual(
      Object.fromEntries(Object.entries(everything).filter(([key]) => key !== "extensions")),
    );
    expect(forVersion(everything, "2026-07-28")).not.toHaveProperty("tasks");
    expect(forVersion(everything, "2026-07-28")).toHaveProperty("extensions");
    expect(forVersion({ sampling: { tools: {} } }, "2025-03-26")).toEqual({ sampling: {} });
  });

  it("is the same when applied twice, and never adds", () => {
    fc.assert(
      fc.property(anyCapabilities, fc.constantFrom(...revisions), (raw, revision) => {
        const once = forVersion(raw, revision);
        expect(forVersion(once, revision)).toEqual(once);
        for (const capability of capabilities)
          // Where a sub-capability is dropped, a bare elicitation is left, which means form.
          if (supports(once, capability) && capability !== "elicitation.form")
            expect(supports(raw, capability)).toBe(true);
      }),
    );
  });

  it("leaves prototypes alone", () => {
    const raw = JSON.parse('{"__proto__":{"sampling":{}},"sampling":null}') as JsonObject;
    const projected = forVersion(raw, "2026-07-28");
    expect(supports(projected, "sampling")).toBe(false);
    expect(Object.getPrototypeOf(projected)).toBe(Object.prototype);
    expect(({} as JsonObject)["sampling"]).toBeUndefined();
  });
});

describe("supports", () => {
  // cites: C-007, C-008, C-009
  it.each([
    [{ sampling: {} }, "sampling", true],
    [{ sampling: { tools: {} } }, "sampling", true],
    [{ sampling: { tools: {} } }, "sampling.tools", true],
    [{ sampling: {} }, "sampling.tools", false],
    [{ sampling: { tools: true } }, "sampling.tools", false],
    [{ sampling: null }, "sampling", false],
    [{ sampling: [] }, "sampling", false],
    [{ sampling: "yes" }, "sampling", false],
    [{ elicitation: {} }, "elicitation.form", true],
    [{ elicitation: { form: {} } }, "elicitation.form", true],
    [{ elicitation: { url: {} } }, "elicitation.form", false],
    [{ elicitation: { url: {} } }, "elicitation.url", true],
    [{ elicitation: { form: null } }, "elicitation.form", false],
    [{ roots: {} }, "roots.listChanged", false],
    [{ roots: { listChanged: true } }, "roots.listChanged", true],
    [{ tasks: {} }, "tasks", true],
    [{}, "experimental", false],
  ] as [JsonObject, Capability, boolean][])("%j has %s: %s", (raw, capability, expected) => {
    expect(supports(raw, capability)).toBe(expected);
  });

  it("takes no inherited property for a capability", () => {
    expect(supports({}, "constructor" as Capability)).toBe(false);
    expect(supports({ sampling: {} }, "sampling.toString" as Capability)).toBe(false);
  });
});

describe("supportedModalities", () => {
  // cites: M-001
  it("means text when it is omitted or no list", () => {
    for (const raw of [{}, { sampling: {} }, { sampling: { supportedModalities: "image" } }])
      expect(supportedModalities(raw)).toEqual(["text"]);
  });

  // cites: M-002
  it("keeps the known ones", () => {
    const raw = { sampling: { supportedModalities: ["smell", "audio", "image"] } };
    expect(supportedModalities(raw)).toEqual(["image", "audio"]);
  });
});

describe("missingFrom", () => {
  // cites: C-010, C-011
  it.each([
    [{ sampling: {} }, {}, { sampling: {} }],
    [{ sampling: { tools: {} } }, {}, { sampling: { tools: {} } }],
    [
      { sampling: { tools: {}, context: {} } },
      { sampling: { tools: {} } },
      { sampling: { context: {} } },
    ],
    [
      { sampling: { supportedModalities: ["text", "image"] } },
      { sampling: {} },
      { sampling: { supportedModalities: ["image"] } },
    ],
    [{ sampling: { supportedModalities: ["text"] } }, {}, { sampling: {} }],
    [{ sampling: { supportedModalities: ["text"] } }, { sampling: {} }, null],
    [{ elicitation: {} }, { elicitation: { url: {} } }, { elicitation: { form: {} } }],
    [{ roots: { listChanged: true } }, { roots: {} }, { roots: { listChanged: true } }],
    [{ roots: {} }, { roots: { listChanged: true } }, null],
    [
      { tasks: { requests: { sampling: { createMessage: {} } } } },
      { tasks: { list: {} } },
      { tasks: { requests: { sampling: { createMessage: {} } } } },
    ],
    [
      { experimental: { a: { x: 1 }, b: {} }, extensions: { c: {} } },
      { experimental: { a: {} } },
      { experimental: { b: {} }, extensions: { c: {} } },
    ],
  ] as [JsonObject, JsonObject, JsonObject | null][])(
    "of %j in %j is %j",
    (required, declared, expected) => {
      expect(missingFrom(required, declared)).toEqual(expected);
    },
  );

  // cites: C-010
  it("misses nothing of itself", () => {
    fc.assert(
      fc.property(anyCapabilities, (raw) => {
        expect(missingFrom(raw, raw)).toBeNull();
      }),
    );
  });

  it("is null once the missing part is declared, and names only what was required", () => {
    fc.assert(
      fc.property(anyCapabilities, anyCapabilities, (required, declared) => {
        const missing = missingFrom(required, declared);
        for (const capability of capabilities)
          if (
            missing !== null &&
            supports(missing, capability) &&
            capability !== "elicitation.form"
          )
            expect(supports(required, capability)).toBe(true);
        if (missing !== null) expect(Object.keys(missing).length).toBeGreaterThan(0);
      }),
    );
  });

  it("misses less, never more, when more is declared", () => {
    const flags = fc.subarray([
      "sampling.tools",
      "sampling.context",
      "elicitation.form",
      "elicitation.url",
      "roots.listChanged",
    ]);
    const build = (names: string[]): JsonObject => {
      const made: Record<string, JsonObject> = {};
      for (const name of names) {
        const [parent = "", sub = ""] = name.split(".");
        made[parent] = { ...made[parent], [sub]: sub === "listChanged" ? true : {} };
      }
      return made;
    };
    const count = (missing: JsonObject | null): number =>
      missing === null ? 0 : capabilities.filter((name) => supports(missing, name)).length;
    fc.assert(
      fc.property(flags, flags, flags, (required, declared, more) => {
        const before = missingFrom(build(required), build(declared));
        const after = missingFrom(build(required), build([...new Set([...declared, ...more])]));
        expect(count(after)).toBeLessThanOrEqual(count(before));
      }),
    );
  });
});

describe("what a record keeps of declared capabilities", () => {
  it("is names of two levels, and modalities", () => {
    const declared = {
      sampling: { tools: { secret: "x" }, supportedModalities: ["image", "smell", 3] },
      elicitation: {},
      roots: { listChanged: true },
      experimental: { "acme/beam": { deep: { deeper: "text of the client" } }, odd: "free text" },
      odd: "free text",
    };
    expect(outlineOf(declared)).toEqual({
      sampling: { tools: {}, supportedModalities: ["image"] },
      elicitation: {},
      roots: { listChanged: true },
      experimental: { "acme/beam": {}, odd: null },
      odd: null,
    });
  });

  it("is bounded, and has own properties alone", () => {
    const many = Object.fromEntries(
      Array.from({ length: 500 }, (_, at) => [`${at}`.padEnd(99), {}]),
    );
    const outline = outlineOf({ experimental: many, ...many });
    expect(Object.keys(outline)).toHaveLength(20);
    expect(Math.max(...Object.keys(outline).map((name) => name.length))).toBe(60);
    const proto = outlineOf(JSON.parse('{"__proto__":{"sampling":{}}}'));
    expect(Object.keys(proto)).toEqual(["__proto__"]);
    expect(supports(proto, "sampling")).toBe(false);
  });
});
