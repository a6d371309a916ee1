/** Merge patches follow RFC 7386 and reach no prototype. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/domain/json.ts";
import { mergePatch, mergePatchOf } from "../../../src/domain/merge-patch.ts";

describe("a merge patch", () => {
  // RFC 7396, appendix A: the cases whose target and patch are objects.
  it.each<[JsonObject, JsonObject, JsonObject]>([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])("of %j with %j is %j", (target, patch, merged) => {
    expect(mergePatch(target, patch)).toEqual(merged);
  });

  it("gives the same when applied twice, and changes neither target nor patch", () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }));
    fc.assert(
      fc.property(object, object, (target, patch) => {
        const before = JSON.stringify([target, patch]);
        const once = mergePatch(target as JsonObject, patch as JsonObject);
        expect(mergePatch(once, patch as JsonObject)).toEqual(once);
        expect(JSON.stringify([target, patch])).toBe(before);
      }),
    );
  });

  it("reaches no prototype", () => {
    const merged = mergePatch({}, JSON.parse('{"__proto__":{"a":1}}') as JsonObject);
    expect(Object.keys(merged)).toEqual(["__proto__"]);
    expect("a" in merged).toBe(false);
  });
});

describe("the merge patch of an edited value", () => {
  it.each<[object, object, JsonObject]>([
    [{ a: "b" }, { a: "b" }, {}],
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b", c: 1 }, { c: 1 }, { a: null }],
    [{ a: "b" }, { a: "" }, { a: null }],
    [{ a: "b" }, { a: undefined, c: "" }, { a: null }],
    [{ a: null, b: "" }, { a: undefined, b: "" }, {}],
    [{ a: ["b"] }, { a: ["b", "c"] }, { a: ["b", "c"] }],
    [{ a: { b: 1, c: 2 } }, { a: { b: 1 } }, { a: { c: null } }],
    [{ a: 1 }, { a: { b: 2 } }, { a: { b: 2 } }],
    [{}, { a: {} }, { a: {} }],
  ])("of %j to %j is %j", (before, after, patch) => {
    expect(mergePatchOf(before, after)).toEqual(patch);
  });

  it("makes the edited value", () => {
    // Patches can't set null, and an empty text is a missing member.
    const leaf = fc.oneof(fc.integer(), fc.string({ minLength: 1 }), fc.boolean());
    const { value } = fc.letrec<{ value: JsonObject }>((tie) => ({
      value: fc.dictionary(
        fc.string(),
        fc.oneof({ maxDepth: 3 }, leaf, fc.array(leaf), tie("value")),
      ),
    }));
    fc.assert(
      fc.property(value, value, (before, after) => {
        expect(mergePatch(before, mergePatchOf(before, after))).toEqual(after);
      }),
    );
  });
});
