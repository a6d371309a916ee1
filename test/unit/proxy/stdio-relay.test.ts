/** What the proxy over stdio does with each line: what passes, what the server is told, and who answers. */
import { createHash } from "node:crypto";
import { array, assert, property, uint8Array } from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/domain/json.ts";
import { err, ok } from "../../../src/domain/result.ts";
import { createLines, joined } from "../../../src/proxy/stdio/lines.ts";
import { createStdioRelay } from "../../../src/proxy/stdio/relay.ts";
import type { SampleFor } from "../../../src/proxy/stdio/sampler.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array | null): string | null =>
  bytes === null ? null : new TextDecoder().decode(bytes);
const turn = () => new Promise((resolve) => setImmediate(resolve));

const said = (text: string) => ({
  role: "assistant",
  model: "a/b",
  content: { type: "text", text },
});
const answering: SampleFor = async (params) => ok(said(String(params["systemPrompt"])));

function relayWith(sample: SampleFor) {
  const toServer: string[] = [];
  const toClient: string[] = [];
  const reported: unknown[] = [];
  let made = 0;
  const relay = createStdioRelay({
    sample,
    sha256Hex: async (text) => createHash("sha256").update(text).digest("hex"),
    nonce: () => `nonce-${(made += 1)}`,
    wait: async () => {},
    toServer: (line) => void toServer.push(textOf(line) ?? ""),
    toClient: (line) => void toClient.push(textOf(line) ?? ""),
    report: (thrown) => void reported.push(thrown),
  });
  return {
    toServer,
    toClient,
    reported,
    end: relay.end,
    client: async (text: string) => textOf(await relay.fromClient(bytesOf(text))),
    server: (text: string) => textOf(relay.fromServer(bytesOf(text))),
  };
}

const internal = { code: -32_603, data: { reason: "internal" } };
/** Parses well, and exhausts the stack of whoever walks it. */
const deep = "[".repeat(100_000) + "]".repeat(100_000);

const asks = (id: string, systemPrompt: string): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"sampling/createMessage","params":{"messages":[],"maxTokens":9,"systemPrompt":${JSON.stringify(systemPrompt)}}}`;

describe("createLines", () => {
  it("gives every byte once, in order, cut after each line's end and nowhere else", () => {
    const pieces = array(
      uint8Array({ maxLength: 12 }).map((each) => each.map((byte) => byte % 12)),
    );
    assert(
      property(pieces, (parts) => {
        const lines = createLines();
        const whole = parts.flatMap((part) => lines.push(part)).map(({ bytes }) => bytes);
        const rest = lines.rest();
        expect([...joined([...whole, rest])]).toEqual([...joined(parts)]);
        for (const line of whole) expect(line.indexOf(10)).toBe(line.length - 1);
        expect(rest.includes(10)).toBe(false);
      }),
    );
  });

  it("holds no more of a line than a bound, and says what is no whole line", () => {
    const lines = createLines(4);
    const push = (text: string) =>
      lines
        .push(new TextEncoder().encode(text))
        .map(({ bytes, isLine }) => [new TextDecoder().decode(bytes), isLine]);
    expect(push("ab\ncd")).toEqual([["ab\n", true]]);
    expect(push("ef")).toEqual([]);
    expect(push("g")).toEqual([["cdefg", false]]);
    expect(push("hijkl")).toEqual([["hijkl", false]]);
    expect(push("m\nnop\nqrstu\n")).toEqual([
      ["m\n", false],
      ["nop\n", true],
      ["qrstu\n", false],
    ]);
    expect(lines.rest()).toHaveLength(0);
  });
});

describe("what passes", () => {
  it.each([
    ["garbage", "no JSON at all\n"],
    ["a number", "17\r\n"],
    ["an empty line", "\n"],
    [
      "a request with spaces and a long number",
      ' { "id" : 12345678901234567890.10 ,"method":"ping"}\r\n',
    ],
    ["a batch of requests", '[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n'],
    ["a result", '{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}}\n'],
    ["a notification that is called as sampling is", '{"method":"sampling/createMessage"}\n'],
  ])("%s, in both directions, byte for byte", async (_, line) => {
    const { client, server, toClient, toServer } = relayWith(answering);
    expect([await client(line), server(line), toClient, toServer]).toEqual([line, line, [], []]);
  });

  it("bytes that are no UTF-8, as they came", async () => {
    const bytes = new Uint8Array([123, 34, 255, 254, 34, 125, 10]);
    const relay = createStdioRelay({
      sample: answering,
      sha256Hex: async () => "",
      nonce: () => "",
      wait: async () => {},
      toServer: () => {},
      toClient: () => {},
      report: () => {},
    });
    expect(await relay.fromClient(bytes)).toBe(bytes);
    expect(relay.fromServer(bytes)).toBe(bytes);
  });
});

describe("a cancellation of what is no id", () => {
  it("passes in both directions, however deep it is nested", async () => {
    const { client, server } = relayWith(answering);
    const line = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${deep}}}\n`;
    expect([await client(line), server(line)]).toEqual([line, line]);
  });
});

describe("initialize", () => {
  const initialize = (revision: string, capabilities: string): string =>
    `{"jsonrpc":"2.0","id":9007199254740993,"method":"initialize","params":{"protocolVersion":"${revision}","capabilities":${capabilities},"clientInfo":{"name":"c","version":"1.0"}}}\n`;

  it.each([
    ["2025-11-25", "{}", '{"sampling":{"tools":{}}}'],
    ["2025-06-18", '{"roots":{}}', '{"sampling":{},"roots":{}}'],
    ["2025-11-25", '{"sampling":{"context":{}}}', '{"sampling":{"tools":{}}}'],
    ["2024-11-05", '{"sampling":{}}', '{"sampling":{}}'],
  ])("of %s gains sampling, and nothing else changes: %s", async (revision, before, after) => {
    expect(await relayWith(answering).client(initialize(revision, before))).toBe(
      initialize(revision, after),
    );
  });
});

describe("a sampling request before 2026-07-28", () => {
  it("is answered under its own id, however long that is, and the client sees nothing", async () => {
    const { server, toServer, toClient } = relayWith(answering);
    expect(server(`${asks("9007199254740993", "one")}\n`)).toBeNull();
    await turn();
    expect(toServer).toEqual([
      `{"jsonrpc":"2.0","id":9007199254740993,"result":${JSON.stringify(said("one"))}}\n`,
    ]);
    expect(toClient).toEqual([]);
  });

  it("waits for no other: the answer that is there first goes first", async () => {
    const open: (() => void)[] = [];
    const sample: SampleFor = async ({ systemPrompt }) => {
      if (systemPrompt === "slow") await new Promise<void>((resolve) => void open.push(resolve));
      return ok(said(String(systemPrompt)));
    };
    const { server, toServer } = relayWith(sample);
    server(asks("1", "slow"));
    server(asks('"two"', "quick"));
    await turn();
    open[0]?.();
    await turn();
    expect(toServer.map((text) => (JSON.parse(text) as { id: unknown }).id)).toEqual(["two", 1]);
  });

  it("that the router refuses is answered with the router's own error", async () => {
    const error = { code: -402, message: "Budget exceeded", data: { reason: "budget_exceeded" } };
    const { server, toServer } = relayWith(async () => err(error));
    server(asks("3", "dear"));
    await turn();
    expect(toServer.map((text) => JSON.parse(text) as object)).toEqual([
      { jsonrpc: "2.0", id: 3, error },
    ]);
  });

  it("that fails by a fault of the proxy's own is answered with `internal`, and the fault is reported", async () => {
    const fault = new RangeError("too much");
    const { server, toServer, reported } = relayWith(() => Promise.reject(fault));
    server(asks("3", "odd"));
    await turn();
    expect(toServer.map((text) => JSON.parse(text) as object)).toMatchObject([
      { id: 3, error: internal },
    ]);
    expect(reported).toEqual([fault]);
  });

  it("that is nested without end is refused, and goes to no router", async () => {
    const sampled: JsonObject[] = [];
    const { server, toServer } = relayWith(async (params) => (sampled.push(params), ok({})));
    server(asks("3", "deep").replace('"messages":[]', `"messages":${deep}`));
    await turn();
    expect(toServer.map((text) => JSON.parse(text) as object)).toMatchObject([
      { id: 3, error: { code: -32_602, data: { reason: "invalid_params" } } },
    ]);
    expect(sampled).toEqual([]);
  });

  it("that the server cancels ends at the router, is not answered, and the client hears of neither", async () => {
    const signals: AbortSignal[] = [];
    const sample: SampleFor = (_, { signal }) => {
      signals.push(signal);
      return new Promise((resolve) =>
        signal.addEventListener("abort", () => resolve(ok(said("late")))),
      );
    };
    const { server, toServer } = relayWith(sample);
    server(asks("4", "long"));
    const cancel =
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}\n';
    expect(server(cancel)).toBeNull();
    await turn();
    expect([signals.map(({ aborted }) => aborted), toServer]).toEqual([[true], []]);
    // It concerns a request of the server's that went to the client.
    expect(server(cancel)).toBe(cancel);
  });

  it("ends with every other of its id, where the server cancels that id or the client leaves", async () => {
    const signals: AbortSignal[] = [];
    const { server, toServer, end } = relayWith((_, { signal }) => {
      signals.push(signal);
      return new Promise(() => {});
    });
    server(asks("4", "one"));
    server(asks("4", "two"));
    const cancel = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}';
    expect(server(cancel)).toBeNull();
    server(asks("5", "three"));
    server(asks("5", "four"));
    end();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true, true]);
    expect(toServer).toEqual([]);
  });

  it("in a batch is taken out of it", async () => {
    const { server, toServer } = relayWith(answering);
    const ping = '{"jsonrpc":"2.0", "id":1,"method":"ping"}';
    expect(server(`[${asks("5", "five")}, ${ping}]\n`)).toBe(`[${ping}]\n`);
    expect(server(`[${asks("6", "six")}]\n`)).toBeNull();
    await turn();
    expect(toServer).toHaveLength(2);
  });

  it("ends with the client", async () => {
    let signal: AbortSignal | undefined;
    const { server, end } = relayWith((_, options) => {
      ({ signal } = options);
      return new Promise(() => {});
    });
    server(asks("7", "seven"));
    end();
    expect(signal?.aborted).toBe(true);
  });
});

describe("a round of 2026-07-28", () => {
  const meta = (capabilities: string): string =>
    `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":${capabilities}}`;
  const call = (id: string, more = ""): string =>
    `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"t","arguments":{}${more},${meta("{}")}}}`;
  const result = (id: string, value: object): string =>
    `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(value)}}`;
  const entry = (systemPrompt: string) => ({
    method: "sampling/createMessage",
    params: { messages: [], maxTokens: 9, systemPrompt },
  });
  const elicitation = { method: "elicitation/create", params: { message: "Name?" } };
  const read = (text: string | undefined | null): JsonObject =>
    JSON.parse(text ?? "null") as JsonObject;

  it("is told of sampling by each request", async () => {
    const { client } = relayWith(answering);
    const discover = `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{${meta("{}")}}}`;
    expect(await client(`${discover}\n`)).toBe(
      `${discover.replace('clientCapabilities":{}', 'clientCapabilities":{"sampling":{"tools":{}}}')}\n`,
    );
  });

  it("is answered by sending the request again, and the client gets the last result under its own id", async () => {
    const { client, server, toServer, toClient } = relayWith(answering);
    await client(call("1"));
    const round = {
      resultType: "input_required",
      inputRequests: { a: entry("A"), b: entry("B") },
      requestState: "s",
    };
    expect(server(result("1", round))).toBeNull();
    await turn();
    const again = read(toServer[0]);
    expect(again["params"]).toMatchObject({
      requestState: "s",
      inputResponses: { a: said("A"), b: said("B") },
    });
    expect(server(result(JSON.stringify(again["id"]), { resultType: "complete" }))).toBeNull();
    await turn();
    expect(toClient.map(read)).toEqual([
      { jsonrpc: "2.0", id: 1, result: { resultType: "complete" } },
    ]);
  });

  it("begins at no result of a method without rounds: the client hears of a failed server", async () => {
    const { client, server, toClient } = relayWith(answering);
    await client(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{${meta("{}")}}}`);
    const asking = { resultType: "input_required", inputRequests: { a: entry("secret") } };
    expect(server(result("1", asking))).toBeNull();
    expect(toClient.join("")).not.toContain("secret");
    expect(toClient.map(read)).toMatchObject([{ id: 1, error: { code: -502 } }]);
    const other = result("2", { resultType: "input_required", inputRequests: { a: elicitation } });
    expect(server(other)).toBe(other);
  });

  it("leaves the rest to the client, and adds its answers to the client's", async () => {
    const { client, server, toClient } = relayWith(answering);
    await client(call("1"));
    server(
      result("1", {
        resultType: "input_required",
        inputRequests: { a: entry("A"), n: elicitation },
        requestState: "s",
      }),
    );
    await turn();
    const asked = read(toClient[0])["result"] as { inputRequests: object; requestState: string };
    expect(asked.inputRequests).toEqual({ n: elicitation });
    const state = JSON.stringify(asked.requestState);
    const back = await client(
      call("2", `,"inputResponses":{"n":{"action":"accept"}},"requestState":${state}`),
    );
    expect(read(back)["params"]).toMatchObject({
      requestState: "s",
      inputResponses: { n: { action: "accept" }, a: said("A") },
    });
    // Another request has no claim to those answers.
    const other = call("3", `,"requestState":${state}`).replace('"t"', '"u"');
    expect(await client(other)).toBeNull();
    expect(read(toClient[1])["error"]).toMatchObject({ code: -32_602 });
  });

  it("that the router refuses ends with the router's error, for the client", async () => {
    const error = {
      code: -503,
      message: "The router can't be reached.",
      data: { reason: "unreachable" },
    };
    const { client, server, toClient } = relayWith(async () => err(error));
    await client(call("1"));
    server(result("1", { resultType: "input_required", inputRequests: { a: entry("A") } }));
    await turn();
    expect(toClient.map(read)).toEqual([{ jsonrpc: "2.0", id: 1, error }]);
  });

  it("that fails by a fault of the proxy's own ends with `internal`, for the client", async () => {
    const fault = new RangeError("too much");
    const { client, server, toClient, toServer, reported } = relayWith(() => Promise.reject(fault));
    await client(call("1"));
    server(result("1", { resultType: "input_required", inputRequests: { a: entry("A") } }));
    await turn();
    expect(toClient.map(read)).toMatchObject([{ id: 1, error: internal }]);
    expect([reported, toServer]).toEqual([[fault], []]);
  });

  it("of a request nested without end is refused, and the server sees nothing of it", async () => {
    const { client, toClient } = relayWith(answering);
    expect(await client(call("1").replace('"arguments":{}', `"arguments":${deep}`))).toBeNull();
    expect(toClient.map(read)).toMatchObject([
      { id: 1, error: { code: -32_602, data: { reason: "invalid_params" } } },
    ]);
  });

  it("that ends late takes nothing from a request of the same id that came after it", async () => {
    const signals: AbortSignal[] = [];
    const open: (() => void)[] = [];
    const { client, server } = relayWith(async (_, { signal }) => {
      signals.push(signal);
      await new Promise<void>((resolve) => void open.push(resolve));
      return ok(said("late"));
    });
    const cancel = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}';
    const round = { resultType: "input_required", inputRequests: { a: entry("A") } };
    await client(call("1"));
    server(result("1", round));
    await turn();
    await client(cancel);
    await client(call("1"));
    server(result("1", round));
    await turn();
    open[0]?.();
    await turn();
    // The second is still at the router, and the server knows of no request that runs.
    expect(await client(cancel)).toBeNull();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it("that the client cancels ends at the router, or at the server under the id that the server knows", async () => {
    const signals: AbortSignal[] = [];
    const { client, server, toServer, toClient } = relayWith((_, { signal }) => {
      signals.push(signal);
      return signals.length === 1
        ? Promise.resolve(ok(said("first")))
        : new Promise((resolve) =>
            signal.addEventListener("abort", () => resolve(ok(said("late")))),
          );
    });
    const cancel = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}';
    const round = { resultType: "input_required", inputRequests: { a: entry("A") } };
    await client(call("1"));
    server(result("1", round));
    await turn();
    const { id } = read(toServer[0]);
    expect(read(await client(cancel))["params"]).toEqual({ requestId: id });
    await client(call("1"));
    server(result("1", round));
    expect(await client(cancel)).toBeNull();
    await turn();
    expect([signals[1]?.aborted, toServer.length, toClient]).toEqual([true, 1, []]);
  });
});
