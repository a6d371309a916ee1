/** References of schemas as Gemini takes them. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/domain/json.ts";
import { rulesOf } from "../../../../src/domain/wires/rules.ts";
import { fitSchema } from "../../../../src/domain/wires/schemas.ts";

const at = (wire: "google" | "anthropic", schema: JsonObject) => fitSchema(schema, rulesOf[wire]);
const person = { type: "object", properties: { name: { type: "string" } } };
const node = {
  type: "object",
  properties: { value: { type: "string" }, next: { $ref: "#/$defs/node" } },
  required: ["value", "next"],
};
const tree = { type: "object", properties: { top: { $ref: "#/$defs/node" } }, $defs: { node } };

describe("at Gemini", () => {
  it("nothing stands beside a reference, and only a rule that is lost counts as looser", () => {
    const beside = (more: JsonObject) =>
      at("google", {
        type: "object",
        properties: { who: { $ref: "#/$defs/person", ...more } },
        $defs: { person },
      });
    for (const [more, loosened] of [
      [{ description: "Whom to call." }, false],
      [{ minProperties: 1 }, true],
    ] as const) {
      const fit = beside(more);
      expect(fit.schema["properties"]).toEqual({ who: { $ref: "#/$defs/person" } });
      expect(fit.loosened).toBe(loosened);
    }
  });

  it("a circle leads through what is not required", () => {
    const { schema, loosened } = at("google", tree);
    expect(loosened).toBe(true);
    expect(schema["$defs"]).toEqual({ node: { ...node, required: ["value"] } });
    const list = { type: "object", properties: { of: { type: "array", items: { $ref: "#" } } } };
    const required = at("google", { ...list, required: ["of"] });
    expect(required.schema).toEqual(list);
    expect(at("google", list)).toMatchObject({ schema: list, loosened: false });
  });

  it("a reference that leads nowhere back stays required", () => {
    const schema = { ...tree, $defs: { node: person }, required: ["top"] };
    expect(at("google", schema)).toMatchObject({ schema, loosened: false });
  });
});

it("elsewhere references stay as they are", () => {
  expect(at("anthropic", tree)).toMatchObject({ schema: tree, loosened: false });
});
