/**
 * Messages that the router refuses because another parser could read them otherwise, and messages that it must
 * not refuse.
 */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createMessageReader,
  faultIn,
  type Sender,
} from "../../../src/mcp/json-text/message-reader.ts";

const encoder = new TextEncoder();
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text);
const kindOf = (text: string, sender: Sender = "server") => faultIn(bytesOf(text), sender)?.kind;
const senders = ["server", "client", "caller"] as const;

const asks = (params: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":${params}}`;
const prefix = "io.modelcontextprotocol/";

describe("a result that asks for sampling", () => {
  const entry = '{"method":"sampling/createMessage","params":{"maxTokens":1}}';
  const result = (members: string): string => `{"jsonrpc":"2.0","id":1,"result":{${members}}}`;

  it.each([
    result(`"resultType":"input_required","inputRequests":{"a":${entry}}`),
    result(`"inputRequests":{"a":${entry}},"resultType":"input_required"`),
    result(`"inputRequests":{"b":{"method":"elicitation/create"},"a":${entry}}`),
    result(
      String.raw`"input\u0052equests":{"a":{"params":{},"method":"sampling\u002fcreateMessage"}}`,
    ),
    `[${result(`"inputRequests":{"a":${entry}}`)}]`,
  ])("is a fault where no round is: %s", (text) => {
    expect(kindOf(text, "roundless")).toBe("asks");
    expect(kindOf(text)).toBeUndefined();
  });

  it.each([
    result('"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create"}}'),
    result(`"structuredContent":{"inputRequests":{"a":${entry}}}`),
    result(`"tools":[{"inputRequests":{"a":${entry}}}]`),
    result('"tools":[{"name":"sampling/createMessage"}],"method":"sampling/createMessage"'),
  ])("is none: %s", (text) => {
    expect(kindOf(text, "roundless")).toBeUndefined();
  });
});

describe("a key that the router decides by", () => {
  it.each([
    '{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"sampling/createMessage"}',
    '{"jsonrpc":"2.0","id":1,"Method":"sampling/createMessage"}',
    String.raw`{"jsonrpc":"2.0","id":1,"m\u0065thod":"tools/list","method":"ping"}`,
    String.raw`{"jsonrpc":"2.0","id":1,"M\u0065thod":"tools/list"}`,
    '{"j\u017Fonrpc":"2.0","id":1,"method":"ping"}',
    String.raw`{"j\u017fonrpc":"2.0","id":1,"method":"ping"}`,
    '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
    '{"jsonrpc":"2.0","ID":1,"method":"ping"}',
    '{"jsonrpc":"2.0","\u0131d":1,"method":"ping"}',
    String.raw`{"jsonrpc":"2.0","id":1,"method\u0000x":"ping"}`,
    String.raw`{"jsonrpc":"2.0","id":1,"\u200bmethod":"ping"}`,
    String.raw`{"jsonrpc":"2.0","id":1,"me\ud800thod":"ping"}`,
    '{"jsonrpc":"2.0","id":1,"params":{},"method":"x","Params":{}}',
    '{"jsonrpc":"2.0","id":1,"result":{},"method":"ping"}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","error":{}}',
    '[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"a","method":"b"}]',
    '[[{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"}]]',
    '{"id":1,"method":"tools/call","params":{"name":"a","name":"b"}}',
    '{"id":1,"method":"tools/call","params":{"Name":"a","name":"b"}}',
    '{"id":1,"method":"tools/call","params":{"name":"a","arguments":{},"arguments":{}}}',
    '{"id":1,"method":"resources/read","params":{"uri":"a:b","URI":"c:d"}}',
    '{"method":"notifications/cancelled","params":{"requestId":1,"requestid":2}}',
    '{"id":1,"method":"initialize","params":{"capabilities":{},"Capabilities":{"sampling":{}}}}',
    '{"id":1,"method":"initialize","params":{"capabilities":{"Sampling":{}}}}',
    '{"id":1,"method":"initialize","params":{"capabilities":{"sampling":{"Tools":{}}}}}',
    '{"id":1,"method":"initialize","params":{"capabilities":{"tasks":{"requests":{"Sampling":{}}}}}}',
    `{"id":1,"method":"x","params":{"_meta":{"${prefix}clientcapabilities":{}}}}`,
    `{"id":1,"method":"x","params":{"_meta":{"${prefix}clientCapabilities":{"sampling":{},"sampling":{}}}}}`,
    '{"id":1,"result":{"resulttype":"input_required","inputRequests":{}}}',
    '{"id":1,"result":{"result_type":"input_required","input_requests":{}}}',
    '{"id":1,"result":{"resultType":"complete","resultType":"input_required"}}',
    '{"id":1,"result":{"inputRequests":{"a":{"method":"x"},"a":{"method":"y"}}}}',
    '{"id":1,"result":{"inputRequests":{"a":{"method":"x","Method":"y"}}}}',
    '{"id":1,"method":"tools/call","params":{"inputResponses":{"a":{"Role":"user"}}}}',
  ])("makes a message ambiguous: %s", (text) => {
    for (const sender of senders) expect(kindOf(text, sender)).toBe("ambiguous");
  });

  it.each([
    '{"messages":[{"role":"user","role":"assistant"}]}',
    '{"messages":[{"Role":"user"}]}',
    '{"messages":[],"max_tokens":1}',
    '{"metadata":{"a":{"b":1,"B":2}}}',
    '{"modelPreferences":{"hints":[{"name":"a","Name":"b"}]}}',
    '{"tools":[{"name":"a"}],"Tools":[]}',
    '{"x":1,"x":2}',
  ])("counts anywhere in a sampling request, wherever its method stands: %s", (params) => {
    const entry = (text: string): string =>
      `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"a":${text}}}}`;
    const last = `"params":${params},"method":"sampling/createMessage"}`;
    for (const sender of ["server", "caller"] as const) {
      expect(kindOf(asks(params), sender)).toBe("ambiguous");
      expect(kindOf(`{"id":1,${last}`, sender)).toBe("ambiguous");
      expect(kindOf(entry(`{"method":"sampling/createMessage","params":${params}}`))).toBe(
        "ambiguous",
      );
      expect(kindOf(entry(`{${last}`))).toBe("ambiguous");
    }
    expect(kindOf(params, "params")).toBe("ambiguous");
    expect(kindOf(`{"id":1,"params":${params},"method":"acme/own"}`)).toBeUndefined();
    expect(kindOf(entry(`{"params":${params},"method":"elicitation/create"}`))).toBeUndefined();
  });

  it("counts in a client's answer to sampling, and in no other answer", () => {
    const answer = (more: string): string => `{"jsonrpc":"2.0","id":1,"result":{${more}}}`;
    const said = '"role":"assistant","model":"m"';
    for (const more of [
      `${said},"content":{},"Role":"user"`,
      '"Role":"assistant","model":"m","content":{}',
      `${said},"content":{},"content":{}`,
      `${said},"content":{},"x":{"y":1,"Y":2}`,
    ])
      expect(kindOf(answer(more), "client")).toBe("ambiguous");
    expect(kindOf(answer('"action":"accept","x":1,"x":2'), "client")).toBeUndefined();
    expect(kindOf(answer('"Role":1,"model":2,"role":3'), "client")).toBeUndefined();
    expect(kindOf(answer(`${said},"content":{"a":1,"a":2}`), "client")).toBeUndefined();
  });
});

describe("content of other people", () => {
  const twice = '{"method":1,"Method":2,"a":[{"id":1,"id":2}],"a":{"name":1,"NAME":2}}';
  it.each([
    `{"id":1,"method":"tools/call","params":{"name":"t","arguments":${twice}}}`,
    `{"id":1,"method":"tools/call","params":{"_meta":{"x":${twice},"x":1}}}`,
    `{"id":1,"result":{"structuredContent":${twice},"content":[${twice}]}}`,
    `{"id":1,"result":{"tools":[{"name":"a","inputSchema":${twice},"name":"b"}]}}`,
    `{"id":1,"error":{"code":1,"data":${twice}}}`,
    `{"id":1,"method":"acme/own","params":{"own":${twice},"own":1}}`,
    `{"id":1,"method":"initialize","params":{"capabilities":{"experimental":{"x":${twice}}}}}`,
    asks(`{"messages":[{"role":"user","content":${twice}}],"_meta":${twice}}`),
    asks(`{"tools":[{"name":"a","inputSchema":${twice},"outputSchema":${twice}}]}`),
    `{"id":1,"result":{"inputRequests":{"a":{"method":"elicitation/create","params":${twice}}}}}`,
    `{"id":1,"method":"x","params":{"inputResponses":{"a":{"action":"accept","content":${twice}}}}}`,
    '{"id":1,"method":null,"result":{"x":1}}',
    '{"x-Method":1,"methods":2,"":3,"result2":4,"result2":5}',
    "null",
    " 1e2 ",
    '"text"',
    "[]",
  ])("is not judged: %s", (text) => {
    for (const sender of senders) expect(faultIn(bytesOf(text), sender)).toBeNull();
  });
});

describe("strictness", () => {
  it.each([
    "",
    "{",
    "{}{}",
    '{"a":NaN}',
    '{"a":-Infinity}',
    '{"a":1,}',
    "{'a':1}",
    "{a:1}",
    '/**/{"a":1}',
    '{"a":01}',
    '{"a":1.}',
    '{"a":+1}',
    '{"a":.5}',
    '{"a":1e}',
    '{"a":tru}',
    '{"a":"\\x41"}',
    '{"a":"\\u00g0"}',
    '{"a":"\n"}',
    '{"a" 1}',
    "[1 2]",
    "[}",
    '{"a":1]',
    "\u00a0{}",
    "\uFEFF\uFEFF{}",
  ])("refuses what JSON.parse refuses: %j", (text) => {
    expect(kindOf(text)).toBe("malformed");
  });

  it("reads past one byte order mark, and refuses bytes that are no UTF-8", () => {
    expect(kindOf('\uFEFF{"id":1}')).toBeUndefined();
    for (const bad of [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x80]]) {
      const bytes = Uint8Array.from([...bytesOf('{"a":"'), ...bad, ...bytesOf('"}')]);
      expect(faultIn(bytes, "server")).toEqual({ kind: "malformed" });
    }
  });

  it("finds what ends a long text, wherever it stands", () => {
    const length = fc.integer({ min: 40, max: 400 });
    const odd = fc.constantFrom(
      "\u0000",
      "\n",
      "\u001f",
      '"',
      "\\",
      "\\x",
      "\u00e9",
      "\u{1F600}",
      "\u007f",
      " ",
      "!",
      "]",
    );
    fc.assert(
      fc.property(
        length,
        fc.array(odd, { maxLength: 3 }),
        length,
        fc.nat(7),
        (first, middle, last, offset) => {
          const text = `{"a":"${"é".repeat(first % 2)}${"x".repeat(first)}${middle.join("y")}${"z".repeat(last)}"}`;
          const inner = bytesOf(`${"#".repeat(offset)}${text}`).subarray(offset);
          const isJson = ((): boolean => {
            try {
              JSON.parse(text);
              return true;
            } catch {
              return false;
            }
          })();
          expect([text, faultIn(inner, "server") === null]).toEqual([text, isJson]);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it("takes for JSON exactly what JSON.parse does, however it is cut", () => {
    const nearly = fc
      .tuple(
        fc.json(),
        fc.nat(40),
        fc.constantFrom("", ",", "}", "]", '"', "\\", "0", "e", " ", "\t"),
      )
      .map(([text, at, more]) => text.slice(0, at) + more + text.slice(at));
    const pieces = fc.array(
      fc.constantFrom(
        "{",
        "}",
        "[",
        "]",
        '"',
        ":",
        ",",
        "1",
        "-",
        ".",
        "e",
        "true",
        " ",
        "a",
        "\\",
      ),
      { maxLength: 12 },
    );
    const any = fc.oneof(
      fc.json(),
      nearly,
      pieces.map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(any, fc.nat(), (text, place) => {
        const bytes = bytesOf(text);
        const isJson = ((): boolean => {
          try {
            JSON.parse(text);
            return true;
          } catch {
            return false;
          }
        })();
        const fault = faultIn(bytes, "server");
        expect(fault?.kind !== "malformed").toBe(isJson || fault?.kind === "ambiguous");
        const cut = bytes.length === 0 ? 0 : place % bytes.length;
        const reader = createMessageReader("server");
        const inParts =
          reader.push(bytes.slice(0, cut)) ?? reader.push(bytes.slice(cut)) ?? reader.end();
        expect(inParts).toEqual(fault);
        const slowly = createMessageReader("server");
        for (const byte of bytes) slowly.push(Uint8Array.of(byte));
        expect(slowly.end()).toEqual(fault);
      }),
      { numRuns: 3_000 },
    );
  });
});

/** A message of any kind, without a key twice, as a value. */
const key = fc.string({ unit: "grapheme", maxLength: 6 });
const anyValue = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>;
const known = [
  "jsonrpc id method params result error name _meta capabilities inputRequests inputResponses",
  "requestState resultType protocolVersion arguments uri role content model messages tools",
].flatMap((names) => names.split(" "));
/** Keys of one's own, which no parser takes for one of the protocol's. */
const freeKey = key.filter((each) => {
  const plain = each
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^a-z]/g, "");
  return !known.some((name) => name.toLowerCase().replaceAll(/[^a-z]/g, "") === plain);
});
const extra = fc.dictionary(freeKey, anyValue, { maxKeys: 3 }).map((members) => {
  const folded = new Set<string>();
  return Object.fromEntries(
    Object.entries(members).filter(([name]) => {
      const same = name.toUpperCase().toLowerCase().normalize("NFC");
      return !folded.has(same) && folded.add(same);
    }),
  );
});
const id = fc.oneof(fc.integer(), fc.string());
const call = fc
  .tuple(id, fc.string(), extra, anyValue, extra)
  .map(([its, name, more, given, meta]) => ({
    jsonrpc: "2.0",
    id: its,
    method: "tools/call",
    params: {
      ...more,
      name,
      arguments: given,
      _meta: { ...meta, [`${prefix}protocolVersion`]: "v" },
    },
  }));
const result = fc.tuple(id, extra, anyValue, anyValue).map(([its, more, given, content]) => ({
  jsonrpc: "2.0",
  id: its,
  result: { ...more, structuredContent: given, content, resultType: "complete" },
}));
const flat = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.oneof(fc.string(), fc.integer()));
const sampling = fc.tuple(id, anyValue, flat).map(([its, content, metadata]) => ({
  jsonrpc: "2.0",
  id: its,
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content }], maxTokens: 5, metadata: { openai: metadata } },
}));
const message = fc.oneof(call, result, sampling);

/** Adds a member to the object at a path of the value, before the others or after them. */
function injected(
  value: unknown,
  path: readonly (string | number)[],
  member: string,
  first: boolean,
): string {
  const [step, ...rest] = path;
  if (step === undefined) {
    const text = JSON.stringify(value);
    const inner = text.slice(1, -1);
    if (inner === "") return `{${member}}`;
    return first ? `{${member},${inner}}` : `{${inner},${member}}`;
  }
  if (Array.isArray(value))
    return `[${value.map((each, at) => (at === step ? injected(each, rest, member, first) : JSON.stringify(each))).join(",")}]`;
  const members = Object.entries(value as Record<string, unknown>).map(
    ([name, each]) =>
      `${JSON.stringify(name)}:${name === step ? injected(each, rest, member, first) : JSON.stringify(each)}`,
  );
  return `{${members.join(",")}}`;
}

const spelt = (name: string): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom("same", "upper", "escaped", "folded"), {
      minLength: name.length,
      maxLength: name.length,
    })
    .map((ways) =>
      [...name]
        .map((letter, at) => {
          const code = letter.charCodeAt(0).toString(16).padStart(4, "0");
          if (ways[at] === "escaped") return `\\u${code}`;
          if (ways[at] === "folded" && letter === "s") return "\u017F";
          if (ways[at] === "folded" && letter === "k") return "\u212A";
          return ways[at] === "upper" ? letter.toUpperCase() : letter;
        })
        .join(""),
    )
    .map((text) => `"${text}"`);

describe("random messages", () => {
  it("are never refused without an ambiguity", () => {
    fc.assert(
      fc.property(fc.oneof(message, fc.array(message)), (value) => {
        const text = JSON.stringify(value);
        for (const sender of senders)
          expect([faultIn(bytesOf(text), sender), text]).toEqual([null, text]);
      }),
      { numRuns: 2_000 },
    );
  });

  const places = fc.oneof(
    fc.tuple(
      call,
      fc.constantFrom<[(string | number)[], string[]]>(
        [[], ["jsonrpc", "id", "method", "params"]],
        [["params"], ["name", "_meta", "arguments"]],
        [["params", "_meta"], [`${prefix}protocolVersion`]],
      ),
    ),
    fc.tuple(
      result,
      fc.constantFrom<[(string | number)[], string[]]>(
        [[], ["jsonrpc", "id", "result"]],
        [["result"], ["resultType"]],
      ),
    ),
    fc.tuple(
      sampling,
      fc.constantFrom<[(string | number)[], string[]]>(
        [["params"], ["messages", "maxTokens", "metadata"]],
        [
          ["params", "messages", 0],
          ["role", "content"],
        ],
        [["params", "metadata"], ["openai"]],
      ),
    ),
  );
  it("are always refused with a key twice, however it is spelt", () => {
    fc.assert(
      fc.property(
        places.chain(([value, [path, names]]) =>
          fc.tuple(
            fc.constant({ value, path }),
            fc.constantFrom(...names).chain(spelt),
            fc.boolean(),
            anyValue,
          ),
        ),
        ([{ value, path }, name, first, given]) => {
          const text = injected(value, path, `${name}:${JSON.stringify(given)}`, first);
          expect([kindOf(text), text]).toEqual(["ambiguous", text]);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("are never refused for what stands in arguments, content or structuredContent", () => {
    const free = fc.oneof(
      fc.tuple(call, fc.constant(["params", "arguments"])),
      fc.tuple(result, fc.constantFrom(["result", "structuredContent"], ["result", "content"])),
      fc.tuple(sampling, fc.constant(["params", "messages", 0, "content"])),
    );
    fc.assert(
      fc.property(free, fc.constantFrom(...known).chain(spelt), ([value, path], name) => {
        const at = (each: unknown, step: string | number): unknown =>
          (each as Record<string | number, unknown>)[step];
        const holder = path.slice(0, -1).reduce<unknown>(at, value) as Record<string, unknown>;
        const own = { ...value };
        holder[path.at(-1) as string] = { x: 1 };
        const text = injected(own, path, `${name}:1,${name}:2`, true);
        expect([faultIn(bytesOf(text), "server"), text]).toEqual([null, text]);
      }),
      { numRuns: 1_000 },
    );
  });
});
