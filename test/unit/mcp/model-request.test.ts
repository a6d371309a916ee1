/** One pass over a request's bytes finds the members that decide, and refuses those that parsers may read differently. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { valueText, withMembers } from "../../../src/domain/passing.ts";
import { readModelRequest } from "../../../src/mcp/json-text/model-request.ts";
import { oddJson, oddObject } from "../../fakes/odd-json.ts";

const encoder = new TextEncoder();
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const read = (text: string) => readModelRequest(bytesOf(text));
const bodyOf = (text: string) => {
  const body = read(text);
  if (!body.ok) throw new Error(JSON.stringify(body.error));
  return body.value;
};

describe("the members that decide", () => {
  it("are found as they are written, and nested ones of the same name are left alone", () => {
    const body = bodyOf(
      ' { "a":{"model":"x","model":"y"}, "model" : "m\\u0031" ,\n"stream":true }',
    );
    expect([valueText(body, "model"), valueText(body, "stream")]).toEqual(['"m\\u0031"', "true"]);
    expect(textOf(withMembers(body, { model: '"n"' }))).toBe(
      ' { "a":{"model":"x","model":"y"}, "model" : "n" ,\n"stream":true }',
    );
  });

  it("are added first, where the body has none", () => {
    expect(textOf(withMembers(bodyOf(" { } "), { max_tokens: "5" }))).toBe(' {"max_tokens":5 } ');
    expect(textOf(withMembers(bodyOf('{"a":1}'), { b: "2", c: "3" }))).toBe('{"b":2,"c":3,"a":1}');
  });

  it("are the same for any JSON", () => {
    const members = fc.uniqueArray(
      fc.constantFrom("model", "stream", "max_tokens", "stream_options", "x", "y", "tools"),
    );
    const texts = members.chain((names) =>
      fc.tuple(...names.map(() => oddJson)).chain((values) => {
        const pairs = names.map((name, at) => [name, values[at] ?? "0"] as const);
        return fc.tuple(fc.constant(new Map(pairs)), oddObject(pairs));
      }),
    );
    fc.assert(
      fc.property(texts, ([values, text]) => {
        const body = bodyOf(text);
        for (const [name, value] of values)
          expect(valueText(body, name)).toBe(name === "x" || name === "y" ? null : value.trim());
        expect(textOf(withMembers(body, {}))).toBe(text);
        const edited: unknown = JSON.parse(textOf(withMembers(body, { model: "7" })));
        expect(edited).toEqual({ ...(JSON.parse(text) as object), model: 7 });
      }),
    );
  });
});

describe("refused", () => {
  it.each([
    ["a key twice", '{"model":"a","model":"b"}', "model"],
    ["a key in another case", '{"model":"a","Stream":true}', "stream"],
    ["an escaped key beside a plain one", '{"max_tokens":1,"max\\u005ftokens":2}', "max_tokens"],
    ["tools twice", '{"tools":[],"model":"a","tools":[1]}', "tools"],
  ])("%s", (_, text, path) => {
    expect(read(text)).toMatchObject({ ok: false, error: { reason: "invalid_params", path } });
  });

  it.each(["[]", "1", "", "{", '{"a":1}{}', '{"a":NaN}', '{"a":1,}', '{"a":"\u0001"}'])(
    "what is no JSON object: %s",
    (text) => {
      expect(read(text)).toMatchObject({ ok: false, error: { reason: "bad_request" } });
    },
  );
});

it("a byte order mark is no part of the body", () => {
  expect(textOf(bodyOf('\ufeff{"model":"a"}').bytes)).toBe('{"model":"a"}');
});
