/** Invalid input is described without repeating its values. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { refusalOfForm, refusalOfInput } from "../../../src/mcp/invalid-input.ts";

const block = z.union([
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("image"), data: z.string(), mimeType: z.string() }),
]);
const schema = z.strictObject({
  name: z.string().min(1).max(5).optional(),
  url: z.url("Not a URL.").optional(),
  share: z.number().min(0).lt(1).optional(),
  rounds: z.int().optional(),
  on: z.boolean().optional(),
  scopes: z
    .array(z.enum(["proxy", "sampling"]))
    .min(1)
    .max(2)
    .optional(),
  headers: z.record(z.string(), z.string()).optional(),
  reasoning: z
    .union([z.enum(["least", "most"]), z.strictObject({ effort: z.enum(["low", "high"]) })])
    .optional(),
  content: z.union([block, z.array(block)]).optional(),
  rule: z.union([z.strictObject({ mode: z.enum(["all", "none"]) }), z.null()]).optional(),
});

function refused(input: unknown, by: z.ZodType = schema): { path: string; detail: string } {
  const { error } = by.safeParse(input);
  if (error === undefined) throw new Error("The schema takes this input.");
  const refusal = refusalOfInput(error);
  if (refusal.reason !== "invalid_params") throw new Error(refusal.reason);
  return { path: refusal.path ?? "", detail: refusal.detail ?? "" };
}

describe("an input that no schema takes", () => {
  it.each([
    [{ name: 5 }, "name", "Expected a string."],
    [{ name: null }, "name", "Expected a string."],
    [{ name: "" }, "name", "Expected at least 1 character."],
    [{ name: "sixsix" }, "name", "Expected at most 5 characters."],
    [{ url: "nowhere" }, "url", "Not a URL."],
    [{ share: "5" }, "share", "Expected a number."],
    [{ share: -1 }, "share", "Expected at least 0."],
    [{ share: 1 }, "share", "Expected less than 1."],
    [{ rounds: 1.5 }, "rounds", "Expected a whole number."],
    [{ on: "yes" }, "on", "Expected true or false."],
    [{ scopes: "proxy" }, "scopes", "Expected an array."],
    [{ scopes: [] }, "scopes", "Expected at least 1 item."],
    [{ scopes: ["proxy", "sampling", "proxy"] }, "scopes", "Expected at most 2 items."],
    [{ scopes: ["all"] }, "scopes.0", 'Expected "proxy" or "sampling".'],
    [{ headers: ["a"] }, "headers", "Expected an object."],
    [{ headers: { a: 5 } }, "headers.a", "Expected a string."],
    [{ nmae: "x" }, "nmae", "Unknown field."],
    [[], "", "Expected an object."],
  ])("%j is refused with its place and what belongs there", (input, path, detail) => {
    expect(refused(input)).toEqual({ path, detail });
  });

  it.each([
    [{ reasoning: "lots" }, "reasoning", 'Expected "least" or "most", or an object.'],
    [{ reasoning: { effort: "x" } }, "reasoning.effort", 'Expected "low" or "high".'],
    [{ content: { type: "image", data: "" } }, "content.mimeType", "Missing. Expected a string."],
    [{ content: { type: "video" } }, "content.type", 'Expected "text", or "image".'],
    [{ content: 5 }, "content", "Expected an object, or an array."],
    [{ rule: 5 }, "rule", "Expected an object, or null."],
    [{ rule: {} }, "rule.mode", 'Expected "all" or "none".'],
    [{ rule: { mode: "all", x: 1 } }, "rule.x", "Unknown field."],
  ])("%j is refused by the shape that was meant", (input, path, detail) => {
    expect(refused(input)).toEqual({ path, detail });
  });

  it("says both of a misspelt field: what is missing, and what is unknown", () => {
    const credential = z.strictObject({ provider: z.string(), apiKey: z.string() });
    expect(refused({ provider: "openai", key: "x" }, credential)).toEqual({
      path: "apiKey",
      detail: "Missing. Expected a string. Unknown field: key.",
    });
  });

  it("is refused in the words of the schema's author, where there are some", () => {
    const moved = z.strictObject({}, { error: () => "A place holds for good." });
    expect(refused({ region: "eu" }, moved)).toEqual({
      path: "region",
      detail: "A place holds for good.",
    });
  });

  it("repeats no value, and long names in part", () => {
    const secret = "s".repeat(5_000);
    const said = JSON.stringify([
      refused({ name: secret }),
      refused({ scopes: [secret] }),
      refused({ reasoning: secret }),
    ]);
    expect(said).not.toContain("sss");
    expect(JSON.stringify(refused({ [secret]: 1 })).length).toBeLessThan(300);
    expect(JSON.stringify(refused({ rounds: "x", [secret]: 1 })).length).toBeLessThan(300);
  });
});

describe("a form", () => {
  it("is refused with all its wrong members", () => {
    const { error } = schema.safeParse({ name: "", url: "nowhere", share: 1, other: 5 });
    expect(error && refusalOfForm(error)).toEqual({
      reason: "invalid_params",
      path: "name",
      detail: "Expected at least 1 character. Unknown field: other.",
      others: [
        { path: "url", detail: "Not a URL." },
        { path: "share", detail: "Expected less than 1." },
      ],
    });
  });

  it("with one wrong member has no others", () => {
    const { error } = schema.safeParse({ name: "" });
    expect(error && refusalOfForm(error)).not.toHaveProperty("others");
  });
});
