/** JSON text changed in one place. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withMember, withoutElements } from "../../../src/mcp/json-text/raw-json.ts";
import { advertise } from "../../../src/proxy/legacy/advertise.ts";

describe("a member set in JSON text", () => {
  const text =
    ' {"a" : 1.0, "b":{ "c":[1e2,{"d":"}"}] , "x":"\\u0041\\"" },"n":9007199254740993 }\n';

  it("changes its own characters and no others", () => {
    expect(withMember(text, ["b", "c"], "true")).toBe(text.replace('[1e2,{"d":"}"}]', "true"));
    expect(withMember(text, ["b", "new"], "{}")).toBe(text.replace('{ "c"', '{"new":{}, "c"'));
    expect(withMember("{}", ["a"], "1")).toBe('{"a":1}');
    expect(withMember(text, ["a", "b"], "1")).toBe(text);
  });

  it("removes with one comma, at every place", () => {
    expect(withMember('{"a":1, "b":2, "c":3}', ["a"], null)).toBe('{"b":2, "c":3}');
    expect(withMember('{"a":1, "b":2, "c":3}', ["b"], null)).toBe('{"a":1, "c":3}');
    expect(withMember('{"a":1, "b":2, "c":3}', ["c"], null)).toBe('{"a":1, "b":2}');
    expect(withMember('{ "a":1 }', ["a"], null)).toBe("{  }");
  });

  it("changes a repeated key wherever it stands, however it is spelt", () => {
    expect(withMember('{"a":1,"\\u0061":2}', ["a"], "3")).toBe('{"a":3,"\\u0061":3}');
    expect(withMember('{"a":{"b":1},"a":{"b":2,"c":3}}', ["a", "b"], null)).toBe(
      '{"a":{},"a":{"c":3}}',
    );
  });

  it("means the same as the change of the parsed value", () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 5 });
    fc.assert(
      fc.property(
        object,
        fc.string(),
        fc.option(fc.jsonValue()),
        fc.nat(4),
        (value, key, next, indent) => {
          const expected = { ...value, [key]: next };
          if (next === null) delete expected[key];
          const given = JSON.stringify({ ...value }, null, indent);
          const changed = withMember(given, [key], next === null ? null : JSON.stringify(next));
          if (key !== "__proto__")
            expect(JSON.parse(changed)).toEqual(JSON.parse(JSON.stringify(expected)));
        },
      ),
    );
  });

  it("takes elements out of an array", () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue()),
        fc.func(fc.boolean()),
        fc.nat(2),
        (values, isTaken, indent) => {
          const taken = new Set(values.flatMap((_, at) => (isTaken(at) ? [at] : [])));
          const kept = values.filter((_, at) => !taken.has(at));
          expect(JSON.parse(withoutElements(JSON.stringify(values, null, indent), taken))).toEqual(
            JSON.parse(JSON.stringify(kept)),
          );
        },
      ),
    );
  });
});

describe("the capabilities that are advertised to a server", () => {
  const initialize = (capabilities: string): string =>
    `{"jsonrpc":"2.0","id":1.0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":${capabilities},"clientInfo":{"name":"c"},"x":1e3}}`;
  const routerCapabilities = { tools: true, supportedModalities: ["text", "image"] } as const;
  const about = {
    mode: "router",
    revision: "2025-11-25",
    routerCapabilities,
    modalities: "advertised",
    form: "rich",
  } as const;
  const toldBy = (capabilities: string, change: Partial<Parameters<typeof advertise>[1]> = {}) =>
    advertise(initialize(capabilities), { ...about, ...change });

  it("is the router's sampling, whatever the client's was, and never context", () => {
    const { text } = toldBy('{"roots": {"listChanged" : true},"sampling":{"context":{}}}');
    expect(text).toBe(
      initialize(
        '{"roots": {"listChanged" : true},"sampling":{"tools":{},"supportedModalities":["text","image"]}}',
      ),
    );
  });

  it("has tools from 2025-11-25 on, modalities by opting in, and neither in the bare form", () => {
    const sampling = (change: Partial<Parameters<typeof advertise>[1]>) =>
      toldBy("{}", change).capabilities["sampling"];
    expect(sampling({ modalities: "hidden" })).toEqual({ tools: {} });
    expect(sampling({ revision: "2025-06-18", modalities: "hidden" })).toEqual({});
    expect(toldBy("{}", { form: "bare" }).text).toBe(initialize('{"sampling":{}}'));
    expect(sampling({ routerCapabilities: null })).toBeUndefined();
  });

  it("is the client's own in mode client, and no sampling in mode deny", () => {
    const declared =
      '{"sampling":{"context":{}},"tasks":{"requests":{"sampling":{"createMessage":{}}}}}';
    expect(toldBy(declared, { mode: "client" }).text).toBe(initialize(declared));
    expect(toldBy(declared, { mode: "deny" }).text).toBe(initialize('{"tasks":{"requests":{}}}'));
  });

  it("is the client's and the router's together in mode client-then-router", () => {
    const mode = "client-then-router";
    expect(toldBy('{"sampling":{"context":{}}}', { mode }).capabilities).toEqual({
      sampling: { tools: {}, supportedModalities: ["text", "image"] },
    });
    expect(
      toldBy('{"sampling":{"context":{},"tools":{}}}', { mode, form: "bare" }).capabilities,
    ).toEqual({ sampling: { tools: {} } });
    expect(toldBy("{}", { mode, form: "bare" }).capabilities).toEqual({ sampling: {} });
    expect(toldBy("{}", { mode, routerCapabilities: null }).capabilities).toEqual({});
  });

  it("has no tasks that could carry sampling, and keeps the others", () => {
    const declared =
      '{"tasks":{"list":{},"requests":{"sampling":{"createMessage":{}},"elicitation":{"create":{}}}},"extensions":{"io.modelcontextprotocol/tasks":{},"x/y":{"n":1.50}}}';
    expect(toldBy(declared, { routerCapabilities: null }).text).toBe(
      initialize(
        '{"tasks":{"list":{},"requests":{"elicitation":{"create":{}}}},"extensions":{"x/y":{"n":1.50}}}',
      ),
    );
  });
});
