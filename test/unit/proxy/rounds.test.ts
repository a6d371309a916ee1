/** One modern request and its rounds, without a network. */
import * as fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { createVault } from "../../../src/crypto/vault.ts";
import { toHex } from "../../../src/crypto/encoding.ts";
import { sha256 } from "../../../src/crypto/hashes.ts";
import type { JsonObject } from "../../../src/domain/json.ts";
import type { ReplayKey } from "../../../src/domain/sampling/replay-key.ts";
import type { SamplingMode } from "../../../src/domain/servers/server.ts";
import type { Refusal } from "../../../src/domain/refusals.ts";
import { err, ok } from "../../../src/domain/result.ts";
import { maxEntries, maxRounds } from "../../../src/domain/sampling/rounds.ts";
import { modernCodec } from "../../../src/mcp/rev2026/codec.ts";
import { roundWire } from "../../../src/mcp/rev2026/round.ts";
import { createRoundStates, type StateOwner } from "../../../src/proxy/modern/round-state.ts";
import type { Answered } from "../../../src/proxy/modern/round-sampling.ts";
import { createRounds, type Round, type RoundAction } from "../../../src/proxy/modern/rounds.ts";
import { anyText } from "../../fixtures/any-text.ts";

const owner: StateOwner = {
  tenantId: "ten_1",
  keyId: "key_1",
  grantId: null,
  userId: null,
  serverId: "srv_1",
  digest: "d",
};
const never = new AbortController().signal;
const randomBytesOf = (count: number) => crypto.getRandomValues(new Uint8Array(count));

let now = 0;
let asked: string[] = [];
/** ms of each pause */
let waited: number[] = [];
/** by what each of them is known again */
let replayKeys: (ReplayKey | null)[] = [];
/** what the next samplings come to; absent: an answer that repeats the question */
let next: ((key: string, signal: AbortSignal) => Promise<Answered>) | null = null;
let begin: ReturnType<typeof createRounds>;

beforeEach(async () => {
  now = 1_000_000;
  asked = [];
  waited = [];
  replayKeys = [];
  next = null;
  const vault = await createVault({
    master: new Uint8Array(32),
    previous: null,
    randomBytesOf,
    derivedFor: "rounds",
  });
  const nonce = () => crypto.randomUUID();
  begin = createRounds({
    wire: roundWire,
    states: createRoundStates({ vault, nonce, now: () => now }),
    sha256Hex: async (text) => toHex(await sha256(text)),
    nonce,
    wait: async (ms) => void waited.push(ms),
  });
});

const entry = (text: string, more: object = {}) => ({
  method: "sampling/createMessage",
  params: {
    messages: [{ role: "user", content: { type: "text", text } }],
    maxTokens: 10,
    ...more,
  },
});
const elicit = { method: "elicitation/create", params: { message: "Your name?" } };
const roots = { method: "roots/list" };

/** A request as a client sends it. */
const call = (more: string = "", idText = "0"): string =>
  `{"jsonrpc":"2.0","id":${idText},"method":"tools/call","params":{"name":"ask","arguments":{"q":1.50}${more},"_meta":{}}}`;

const asks = (requests: JsonObject, state: string | null, id: unknown = 0): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"resultType":"input_required", "inputRequests":${JSON.stringify(requests)}${state === null ? "" : `,"requestState": ${state}`},"_meta":{"x":1.0}}}`;

const about = async (
  text: string,
  more: {
    mode?: SamplingMode;
    declared?: JsonObject;
    owner?: StateOwner;
    method?: string;
    callsAgain?: "client" | "router";
    sealsState?: boolean;
  } = {},
) =>
  begin(
    {
      text,
      idText: "0",
      method: more.method ?? "tools/call",
      owner: async () => more.owner ?? owner,
      mode: more.mode ?? "router",
      declared: more.declared ?? {},
      callsAgain: more.callsAgain ?? "client",
      sealsState: more.sealsState ?? false,
      tasks: { tool: "ask" },
    },
    {
      decode: modernCodec.decodeCall,
      async sample({ key, params }, { signal, replayKey }) {
        asked.push(key);
        replayKeys.push(replayKey);
        const decoded = modernCodec.decodeCall(params);
        if (!decoded.ok) return err({ refusal: decoded.error, requestId: "req_1" });
        if (next !== null) return next(key, signal);
        return ok(JSON.stringify({ role: "assistant", content: key, model: "m" }));
      },
    },
  );

const round = async (text: string, more: Parameters<typeof about>[1] = {}): Promise<Round> => {
  const begun = await about(text, more);
  if (!begun.ok) throw new Error(begun.error.reason);
  return begun.value;
};

const sent = (action: RoundAction): { text: string; idText: string } => {
  if (action.kind !== "send") throw new Error(JSON.stringify(action));
  return action;
};
const delivered = (action: RoundAction): string => {
  if (action.kind !== "deliver") throw new Error(JSON.stringify(action));
  return action.text;
};
const refusalOf = (action: RoundAction): Refusal => {
  if (action.kind !== "refuse") throw new Error(JSON.stringify(action));
  return action.refusal;
};
const stateOf = (text: string): string => JSON.parse(text).result.requestState;

describe("a round that is sampling alone", () => {
  // cites: R-001, R-004
  it("is answered by repeating the request under another id, with the answer", async () => {
    const first = await round(call());
    expect(first.first).toEqual({ text: call(), idText: "0" });
    const again = sent(await first.actOn(asks({ llm: entry("hi") }, '"abc"'), never));
    expect(again.idText).not.toBe("0");
    const answers = '{"llm":{"role":"assistant","content":"llm","model":"m"}}';
    expect(again.text).toBe(
      `{"jsonrpc":"2.0","id":${again.idText},"method":"tools/call","params":{"requestState":"abc","inputResponses":${answers},"name":"ask","arguments":{"q":1.50},"_meta":{}}}`,
    );
    const done = `{"jsonrpc":"2.0","id":${again.idText},"result":{"resultType":"complete","n":1e2}}`;
    expect(delivered(await first.actOn(done, never))).toBe(done.replace(again.idText, "0"));
  });

  // cites: R-002, R-003
  it("gives the state back as it stood, character for character", async () => {
    const states = fc.oneof(
      anyText().map((text) => JSON.stringify(text)),
      fc.constantFrom(
        '"\\u0061\\/\\ud83d\\ude00"',
        '"\\ud800"',
        '""',
        '"é"',
        '"{\\"requestState\\":1}"',
        '"srs1"',
      ),
    );
    await fc.assert(
      fc.asyncProperty(states, async (state) => {
        const one = await round(call());
        const { text } = sent(await one.actOn(asks({ a: entry("hi") }, state), never));
        expect(text).toContain(`{"requestState":${state},`);
      }),
    );
  });

  // cites: R-002
  it("has no state where the server gave none, and none of the round before", async () => {
    const one = await round(call(',"inputResponses":{"was":{}},"requestState":"before"'));
    const { text } = sent(await one.actOn(asks({ a: entry("hi") }, null), never));
    expect(JSON.parse(text).params).not.toHaveProperty("requestState");
    expect(Object.keys(JSON.parse(text).params.inputResponses)).toEqual(["a"]);
  });

  it("has its entries answered at the same time, each under its own key", async () => {
    const keys = ["a", "__proto__", "b\n", "ü"];
    let running = 0;
    let most = 0;
    next = async (key) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
      return ok(JSON.stringify({ said: key }));
    };
    const requests = Object.fromEntries(keys.map((key) => [key, entry(key)]));
    const one = await round(call());
    const { text } = sent(await one.actOn(asks(requests, null), never));
    expect(most).toBe(4);
    const { inputResponses } = JSON.parse(text).params;
    for (const key of keys)
      expect(Object.entries(inputResponses)).toContainEqual([key, { said: key }]);
  });

  it("asks for a bounded number of inputs at once", async () => {
    const many = (count: number): JsonObject =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`e${at}`, entry("hi")]));
    sent(await (await round(call())).actOn(asks(many(maxEntries), null), never));
    expect(asked.splice(0)).toHaveLength(maxEntries);
    const refused = await (await round(call())).actOn(asks(many(maxEntries + 1), null), never);
    expect(refusalOf(refused).reason).toBe("forbidden");
    expect(asked).toEqual([]);
  });

  it("ends somewhere, though the server never has enough", async () => {
    const one = await round(call());
    let id: unknown = 0;
    for (let turn = 0; turn < maxRounds; turn += 1)
      id = JSON.parse(
        sent(await one.actOn(asks({ a: entry("more") }, null, id), never)).idText,
      ) as unknown;
    expect(refusalOf(await one.actOn(asks({ a: entry("more") }, null, id), never))).toMatchObject({
      reason: "forbidden",
    });
    expect(asked).toHaveLength(maxRounds);
  });
});

describe("a round of a state alone, before a client that knows no rounds", () => {
  const alone = (state: string, id: unknown = 0, more = ""): string =>
    `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${more}"resultType":"input_required","requestState": ${state}}}`;
  const callsAgain = "router" as const;
  const stated = (state: string, idText: string): string =>
    call("", idText).replace('"params":{', `"params":{"requestState":${state},`);
  const idIn = (action: RoundAction): unknown => JSON.parse(sent(action).idText) as unknown;

  // cites: R-002, R-004
  it("is the request once more after a pause, with that state and nothing else", async () => {
    const one = await round(call(), { callsAgain });
    const action = await one.actOn(alone('"\\u0061\\/"'), never);
    const { idText } = sent(action);
    expect(sent(action).text).toBe(stated('"\\u0061\\/"', idText));
    expect(idText).not.toBe("0");
    expect(waited).toEqual([250]);
    const done = `{"jsonrpc":"2.0","id":${idText},"result":{"resultType":"complete","n":1.0}}`;
    expect(delivered(await one.actOn(done, never))).toBe(done.replace(idText, "0"));
    expect(asked).toEqual([]);
  });

  it("says so with no requests, or with an empty list of them", async () => {
    const one = await round(call(), { callsAgain });
    const action = await one.actOn(alone('"x"', 0, '"inputRequests":{ },'), never);
    expect(sent(action).text).toContain('"requestState":"x"');
  });

  it("follows sampling, and sampling follows elicitation: neither keeps the other's state", async () => {
    const one = await round(call(), { callsAgain });
    const first = await one.actOn(asks({ a: entry("A") }, '"1"'), never);
    expect(sent(first).text).toContain('"inputResponses"');
    const second = await one.actOn(alone('"2"', idIn(first)), never);
    expect(sent(second).text).toBe(stated('"2"', sent(second).idText));
    const third = await one.actOn(asks({ b: entry("B") }, null, idIn(second)), never);
    expect(sent(third).text).toContain('"inputResponses":{"b":');
    expect(sent(third).text).not.toContain("requestState");
    expect(asked).toEqual(["a", "b"]);
  });

  it("ends somewhere, and waits longer each time", async () => {
    const one = await round(call(), { callsAgain });
    let id: unknown = 0;
    for (let turn = 0; turn < maxRounds; turn += 1)
      id = idIn(await one.actOn(alone('"x"', id), never));
    expect(refusalOf(await one.actOn(alone('"x"', id), never))).toMatchObject({
      reason: "forbidden",
    });
    expect(waited.slice(0, 5)).toEqual([250, 500, 750, 1_000, 1_000]);
    expect(waited).toHaveLength(maxRounds);
  });

  it.each([
    [
      "neither requests nor a state",
      '{"jsonrpc":"2.0","id":0,"result":{"resultType":"input_required"}}',
    ],
    ["a state that is no text", alone("5")],
    ["a person's entry beside it", asks({ e: elicit }, '"x"')],
  ])("is none with %s", async (_, response) => {
    const one = await round(call(), { callsAgain, declared: { elicitation: {} } });
    expect(delivered(await one.actOn(response, never))).toBe(response);
    expect(waited).toEqual([]);
  });

  it("is refused before anything is sampled if its client can't be asked", async () => {
    const one = await round(call(), { callsAgain });
    const response = asks({ llm: entry("x"), e: elicit }, '"x"');
    expect(refusalOf(await one.actOn(response, never))).toMatchObject({
      requiredCapabilities: { elicitation: { form: {} } },
    });
    expect(asked).toEqual([]);
  });
});

describe("what is no round of ours", () => {
  // cites: R-006
  it.each([
    ["complete", '{"jsonrpc":"2.0","id":0,"result":{"resultType":"complete","inputRequests":1}}'],
    [
      "of no type",
      `{"jsonrpc":"2.0","id":0,"result":{"inputRequests":{"a":${JSON.stringify(entry("x"))}}}}`,
    ],
    [
      "of an unknown type",
      `{"jsonrpc":"2.0","id":0,"result":{"resultType":"later","inputRequests":{"a":${JSON.stringify(entry("x"))}}}}`,
    ],
    ["an error", '{"jsonrpc":"2.0","id":0,"error":{"code":-5,"message":"no"}}'],
    ["for a person", asks({ e: elicit, r: roots }, '"\\u0061"')],
    [
      "only a state",
      '{"jsonrpc":"2.0","id":0,"result":{"resultType":"input_required","requestState":"x"}}',
    ],
    [
      "misshapen",
      '{"jsonrpc":"2.0","id":0,"result":{"resultType":"input_required","inputRequests":[1]}}',
    ],
    ["entries that are none", asks({ a: 1, b: null, c: { method: 5 } }, null)],
  ])("reaches the client as it came: %s", async (_, response) => {
    const one = await round(call());
    expect(delivered(await one.actOn(response, never))).toBe(response);
    expect(asked).toEqual([]);
  });

  it("is everything where the client samples for itself", async () => {
    const response = asks({ a: entry("hi"), e: elicit }, '"s"');
    const one = await round(call(), { mode: "client" });
    expect(delivered(await one.actOn(response, never))).toBe(response);
  });

  it("leaves the server's own state alone", async () => {
    const text = call(',"inputResponses":{"e":{"action":"accept"}},"requestState":"\\u0061bc"');
    expect((await round(text)).first.text).toBe(text);
  });
});

describe("a sampling answer that the client makes up", () => {
  const forged = '{"role":"assistant","content":{"type":"text","text":"x"},"model":"m"}';
  const responses = `,"inputResponses":{"llm":${forged},"e":{"action":"accept","content":{"n":1.0}}}`;
  const only = call(`,"inputResponses":{"llm":${forged}}`);

  it.each(["router", "deny"] as const)("does not reach the server by `%s`", async (mode) => {
    const mixed = await round(call(`${responses},"requestState":"\\u0061"`), { mode });
    expect(mixed.first.text).toBe(
      call(
        ',"inputResponses":{"e":{"action":"accept","content":{"n":1.0}}},"requestState":"\\u0061"',
      ),
    );
    expect((await round(only, { mode })).first.text).toBe(call());
  });

  it("is the client's own where it may sample", async () => {
    for (const mode of ["client-then-router", "client"] as const)
      expect((await round(only, { mode })).first.text).toBe(only);
  });
});

describe("a refusal", () => {
  // cites: R-007
  it("ends the request; nothing is repeated, and its neighbours are let go", async () => {
    let letGo = false;
    next = async (key, signal) => {
      if (key === "bad") return err({ refusal: { reason: "cancelled" }, requestId: "req_7" });
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      letGo = true;
      return err({ refusal: { reason: "internal" }, requestId: "req_8" });
    };
    const one = await round(call());
    const action = await one.actOn(asks({ slow: entry("a"), bad: entry("b") }, null), never);
    expect(action).toEqual({
      kind: "refuse",
      refusal: { reason: "cancelled" },
      requestId: "req_7",
    });
    expect(letGo).toBe(true);
  });

  it("of a malformed entry is the router's to give", async () => {
    const one = await round(call(), { mode: "client-then-router" });
    const broken = asks({ a: { method: "sampling/createMessage" } }, null);
    expect(refusalOf(await one.actOn(broken, never))).toMatchObject({ reason: "invalid_params" });
  });
});

describe("client-then-router", () => {
  const tools = { tools: [{ name: "look", inputSchema: { type: "object" } }] };
  it("asks the client where what it declared covers the request, and the router elsewhere", async () => {
    const declared = { sampling: {} };
    const mode = "client-then-router";
    const plain = asks({ a: entry("hi") }, '"s"');
    const one = await round(call(), { mode, declared });
    expect(delivered(await one.actOn(plain, never))).toBe(plain);
    const other = await round(call(), { mode, declared });
    const left = delivered(
      await other.actOn(asks({ a: entry("hi"), b: entry("look", tools) }, '"s"'), never),
    );
    expect(asked).toEqual(["b"]);
    expect(Object.keys(JSON.parse(left).result.inputRequests)).toEqual(["a"]);
    const nobody = await round(call(), { mode });
    sent(await nobody.actOn(plain, never));
    expect(asked).toEqual(["b", "a"]);
  });
});

describe("a round that asks a person too", () => {
  const mixed = (state: string | null) => asks({ e: elicit, llm: entry("hi"), r: roots }, state);
  /** Up to where the client has been asked. */
  const halfway = async (state: string | null = '"\\u0061"'): Promise<string> => {
    const one = await round(call());
    return delivered(await one.actOn(mixed(state), never));
  };
  const retry = (state: string, responses = '{"e":{"action":"accept"}}', idText = "1") =>
    call(`,"inputResponses":${responses},"requestState":${JSON.stringify(state)}`, idText);

  // cites: R-001, R-005
  it("goes to the client without the sampling, and comes back with the answers", async () => {
    const left = await halfway();
    const { result } = JSON.parse(left);
    expect(result.inputRequests).toEqual({ e: elicit, r: roots });
    expect(result._meta).toEqual({ x: 1 });
    expect(left).toContain('"_meta":{"x":1.0}');
    expect(stateOf(left)).toMatch(/^srs1\./);
    const back = await round(retry(stateOf(left)));
    expect(JSON.parse(back.first.text).params).toMatchObject({
      inputResponses: { e: { action: "accept" }, llm: { content: "llm" } },
      requestState: "a",
    });
    expect(back.first.text).toContain('"requestState":"\\u0061"');
    expect(asked).toEqual(["llm"]);
  });

  it("has no state for the server where the server gave none", async () => {
    const left = await halfway(null);
    const back = await round(retry(stateOf(left)));
    expect(JSON.parse(back.first.text).params).not.toHaveProperty("requestState");
  });

  it("believes the router's answer and not the client's", async () => {
    const left = await halfway();
    const back = await round(retry(stateOf(left), '{"llm":{"content":"forged"},"e":{}}'));
    const { inputResponses } = JSON.parse(back.first.text).params;
    expect(inputResponses).toEqual({ llm: expect.objectContaining({ content: "llm" }), e: {} });
    expect(back.first.text).not.toContain("forged");
  });

  const notOurs = async (state: string, more: Parameters<typeof about>[1] = {}, text?: string) => {
    const begun = await about(text ?? retry(state), more);
    expect(begun).toEqual(
      err({ reason: "invalid_params", path: "requestState", detail: expect.any(String) }),
    );
  };

  it.each([
    ["tenant", { tenantId: "ten_2" }],
    ["key", { keyId: "key_2" }],
    ["server", { serverId: "srv_2" }],
    ["request", { digest: "other" }],
  ])("is refused of another %s", async (_, other) => {
    const state = stateOf(await halfway());
    await notOurs(state, { owner: { ...owner, ...other } });
    expect((await about(retry(state))).ok).toBe(true);
  });

  it("is refused when it is too old", async () => {
    const state = stateOf(await halfway());
    now += 24 * 3_600_000 - 1;
    expect((await about(retry(state))).ok).toBe(true);
    now += 1;
    await notOurs(state);
  });

  it("is refused when any character of it was changed", async () => {
    const state = stateOf(await halfway());
    const begins = "srs1.".length;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: begins, max: state.length - 1 }),
        fc.constantFrom(..."AZaz09-_.=+ é"),
        async (at, character) => {
          fc.pre(state[at] !== character);
          await notOurs(state.slice(0, at) + character + state.slice(at + 1));
        },
      ),
      { numRuns: 300 },
    );
    for (const cut of [begins, begins + 1, state.length - 1]) await notOurs(state.slice(0, cut));
    await notOurs(`${state}A`);
    await notOurs(state + state);
  });

  it("holds nothing that can be read", async () => {
    next = async () => ok('{"content":"SECRET-ANSWER"}');
    const state = stateOf(await halfway('"SECRET-STATE"'));
    const readable = state + Buffer.from(state.split(".").at(-1) ?? "", "base64url").toString();
    expect(readable).not.toMatch(/SECRET|srv_1|key_1/);
  });

  it("is another state each time", async () => {
    expect(stateOf(await halfway())).not.toBe(stateOf(await halfway()));
  });

  it("is known again for a day, under any id; another round, key or question is another", async () => {
    const state = stateOf(await halfway());
    const follow = async (
      from: string,
      more: JsonObject = { more: entry("more") },
      idText = "1",
    ) => {
      replayKeys = [];
      const one = await round(retry(from, '{"e":{}}', idText));
      sent(await one.actOn(asks(more, `"${idText}"`, Number(idText)), never));
      const [replayKey, ...others] = replayKeys;
      expect(others).toEqual([]);
      return replayKey;
    };
    const first = await follow(state);
    expect(first).toEqual({
      kind: "round",
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      keptMs: 86_400_000,
    });
    now += 3_600_000;
    expect(await follow(state, { more: entry("more") }, "6")).toEqual(first);
    const others = [
      await follow(state, { more: entry("something else") }),
      await follow(state, { other: entry("more") }),
      await follow(stateOf(await halfway())),
    ];
    expect(new Set([first, ...others].map((replayKey) => JSON.stringify(replayKey))).size).toBe(4);
  });

  it("counts its rounds over the client's repeats", async () => {
    let state = stateOf(await halfway());
    for (let turn = 1; turn < maxRounds; turn += 1) {
      const one = await round(retry(state));
      state = stateOf(delivered(await one.actOn(mixed('"s"'), never)));
    }
    const last = await round(retry(state));
    expect(refusalOf(await last.actOn(mixed('"s"'), never)).reason).toBe("forbidden");
  });
});

describe("a round that the server's own state names", () => {
  const text = call(',"inputResponses":{"e":{}},"requestState":"theirs"');
  const follow = async (from = text) => {
    replayKeys = [];
    sent(await (await round(from)).actOn(asks({ more: entry("more") }, null), never));
    return replayKeys[0];
  };

  it("is known again for a moment: the server may say the same each time", async () => {
    const first = await follow();
    expect(first).toMatchObject({ kind: "round", keptMs: 5_000 });
    expect(await follow()).toEqual(first);
  });

  it("is another with another answer of the client's, and new without a state", async () => {
    const known = [
      await follow(),
      await follow(text.replace('"e":{}', '"e":{"a":1}')),
      await follow(text.replace("theirs", "other")),
    ];
    expect(new Set(known.map((replayKey) => JSON.stringify(replayKey))).size).toBe(3);
    expect(await follow(call())).toBeNull();
  });
});

describe("a key that was rotated", () => {
  it("still opens the states that it sealed", async () => {
    const old = new Uint8Array(32).fill(1);
    const vaultOf = (master: Uint8Array<ArrayBuffer>, previous: Uint8Array<ArrayBuffer> | null) =>
      createVault({ master, previous, randomBytesOf, derivedFor: "rounds" });
    const statesOf = async (vault: ReturnType<typeof createVault>) =>
      createRoundStates({ vault: await vault, nonce: () => "n", now: () => now });
    const before = await statesOf(vaultOf(old, null));
    const state = await before.wrap(owner, { state: '"s"', answers: [], rounds: 1 });
    const current = new Uint8Array(32).fill(2);
    expect(await (await statesOf(vaultOf(current, old))).open(owner, state)).toMatchObject({
      ok: true,
      value: { state: '"s"', rounds: 1 },
    });
    expect((await (await statesOf(vaultOf(current, null))).open(owner, state)).ok).toBe(false);
    // The same master key for another purpose is another key.
    const other = createVault({ master: old, previous: null, randomBytesOf });
    expect((await (await statesOf(other)).open(owner, state)).ok).toBe(false);
  });
});

describe("a state of the server that looks like ours", () => {
  it("is carried inside one of ours, and comes back as it was", async () => {
    const response = asks({ e: elicit }, '"srs1.another router"');
    const one = await round(call());
    const left = delivered(await one.actOn(response, never));
    expect(stateOf(left)).toMatch(/^srs1\.v1\./);
    const back = await round(call(`,"inputResponses":{"e":{}},"requestState":"${stateOf(left)}"`));
    expect(JSON.parse(back.first.text).params).toMatchObject({
      inputResponses: { e: {} },
      requestState: "srs1.another router",
    });
  });
});

describe("a server's own state, where callers share the entry's secret", () => {
  const sealed = { sealsState: true };
  const given = async (state: string): Promise<string> =>
    delivered(await (await round(call(), sealed)).actOn(asks({ e: elicit }, state), never));
  const back = (state: string): string =>
    call(`,"inputResponses":{"e":{}},"requestState":${state}`, "7");
  const sealedOf = (text: string): string => JSON.stringify(stateOf(text));
  const refusal = {
    ok: false,
    error: {
      reason: "invalid_params",
      path: "requestState",
      detail: "Not a state of this request, or expired.",
    },
  };

  it("reaches the client sealed, and the server as it was", async () => {
    await fc.assert(
      fc.asyncProperty(anyText(), async (text) => {
        const state = JSON.stringify(`${text}theirs`);
        const left = await given(state);
        expect(stateOf(left)).toMatch(/^srs1\.v1\./);
        expect(left).not.toContain(state);
        const again = await round(back(sealedOf(left)), sealed);
        expect(again.first.text).toContain(`"requestState":${state}`);
        expect(JSON.parse(again.first.text).params.inputResponses).toEqual({ e: {} });
      }),
      { numRuns: 20 },
    );
  });

  it("opens for its tenant, key, grant, person, server and request, and for no other", async () => {
    const whole = { ...owner, grantId: "g1", userId: "usr_1" };
    const left = delivered(
      await (
        await round(call(), { ...sealed, owner: whole })
      ).actOn(asks({ e: elicit }, '"theirs"'), never),
    );
    const text = back(sealedOf(left));
    expect(await about(text, { ...sealed, owner: whole })).toMatchObject({ ok: true });
    for (const name of Object.keys(whole))
      for (const value of ["another", null])
        expect(await about(text, { ...sealed, owner: { ...whole, [name]: value } })).toEqual(
          refusal,
        );
    // Members that run into each other would make one owner of two.
    for (const other of [
      { ...whole, keyId: "key_1 g1", grantId: null },
      { ...whole, grantId: "g1 usr_1", userId: null },
      { ...whole, grantId: "usr_1", userId: "g1" },
    ])
      expect(await about(text, { ...sealed, owner: other })).toEqual(refusal);
  });

  it("is refused in one wording as it was, changed, too old, or of another kind", async () => {
    const left = await given('"theirs"');
    for (const state of ['"theirs"', '"srs1."', '"srs1.v1.x"', "7", "{}", '""', "[]", "false"])
      expect(await about(back(state), sealed), state).toEqual(refusal);
    const text = back(sealedOf(left));
    now += 10 * 60_000 - 1;
    expect(await about(text, sealed)).toMatchObject({ ok: true });
    now += 1;
    expect(await about(text, sealed)).toEqual(refusal);
  });

  it("passes where there is none: absent, or null", async () => {
    expect(stateOf(await given("null"))).toBeNull();
    for (const text of [call(), back("null")])
      expect((await round(text, sealed)).first.text).toBe(text);
  });

  it("has a greatest size", async () => {
    const largest = JSON.stringify("x".repeat(256 * 1024 - 2));
    expect(stateOf(await given(largest))).toMatch(/^srs1\./);
    const larger = JSON.stringify("x".repeat(256 * 1024 - 1));
    expect(
      refusalOf(await (await round(call(), sealed)).actOn(asks({ e: elicit }, larger), never)),
    ).toMatchObject({ reason: "server_failed", detail: expect.stringContaining("requestState") });
  });

  it("of a router behind this one stays nested, and lives as long as that router lets it", async () => {
    const left = await given('"srs1.another router"');
    now += 20 * 3_600_000;
    const again = await round(back(sealedOf(left)), sealed);
    expect(again.first.text).toContain('"requestState":"srs1.another router"');
  });

  it("goes on in rounds: sampling, a question, an end", async () => {
    const first = await round(call(), sealed);
    const second = sent(await first.actOn(asks({ a: entry("hi") }, '"one"'), never));
    expect(second.text).toContain('"requestState":"one"');
    const left = delivered(
      await first.actOn(asks({ e: elicit }, '"two"', JSON.parse(second.idText)), never),
    );
    const again = await round(back(sealedOf(left)), sealed);
    expect(again.first.text).toContain('"requestState":"two"');
    const done = `{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete"}}`;
    expect(delivered(await again.actOn(done, never))).toBe(done);
  });
});

describe("a resource", () => {
  const read = (id: string) =>
    `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"complete","contents":[ ],"ttlMs":60000,"cacheScope":"public"}}`;
  it("that hid a round is kept by no cache", async () => {
    const one = await round(call(), { method: "resources/read" });
    const { idText } = sent(await one.actOn(asks({ a: entry("hi") }, null), never));
    expect(delivered(await one.actOn(read(idText), never))).toBe(
      read("0").replace("60000", "0").replace("public", "private"),
    );
    const bare = await round(call(), { method: "resources/read" });
    const again = sent(await bare.actOn(asks({ a: entry("hi") }, null), never));
    const result = `{"jsonrpc":"2.0","id":${again.idText},"result":{"contents":[]}}`;
    expect(JSON.parse(delivered(await bare.actOn(result, never))).result).toEqual({
      contents: [],
      ttlMs: 0,
      cacheScope: "private",
    });
  });

  it("that hid none stays as it is, and so does a tool's result and an error", async () => {
    const one = await round(call(), { method: "resources/read" });
    expect(delivered(await one.actOn(read("0"), never))).toBe(read("0"));
    for (const [method, more] of [
      ["tools/call", read],
      ["resources/read", (id: string) => `{"jsonrpc":"2.0","id":${id},"error":{"code":1}}`],
    ] as const) {
      const other = await round(call(), { method });
      const { idText } = sent(await other.actOn(asks({ a: entry("hi") }, null), never));
      expect(delivered(await other.actOn(more(idText), never))).toBe(more("0"));
    }
  });
});

describe("a round in which a person has to approve a call", () => {
  const pending: Refusal = { reason: "approval_pending", retryAfterMs: 1, idempotencyKey: "req_1" };
  const holding = async (key: string): Promise<Answered> =>
    key === "slow"
      ? err({ refusal: pending, requestId: `req_of_${key}` })
      : ok(JSON.stringify({ said: key }));
  const question = asks({ quick: entry("hi"), slow: entry("may I?") }, '"abc"', "s1");
  const backWith = (text: string): string =>
    call(`,"requestState":${JSON.stringify(stateOf(text))}`, '"c2"');

  it("gives the client a state to come back with, and goes on where it stopped", async () => {
    next = holding;
    const first = await round(call());
    const sentAway = delivered(await first.actOn(question, never));
    expect(JSON.parse(sentAway)).toMatchObject({
      id: 0,
      result: { resultType: "input_required", inputRequests: {} },
    });
    expect(sentAway).not.toContain("may I?");
    // Still nobody has decided.
    const second = await round(backWith(sentAway));
    expect(second.held).toBe(question);
    const again = delivered(await second.actOn(second.held ?? "", never));
    // The call that waits is known by its record, however often its client comes.
    const known = { kind: "client", key: toHex(await sha256("req_of_slow")) };
    next = async (key) => ok(JSON.stringify({ said: key }));
    const third = await round(backWith(again));
    const { text, idText } = sent(await third.actOn(third.held ?? "", never));
    expect(asked).toEqual(["quick", "slow", "slow", "slow"]);
    expect(replayKeys).toEqual([null, null, known, known]);
    expect(JSON.parse(text).params).toMatchObject({
      requestState: "abc",
      inputResponses: { quick: { said: "quick" }, slow: { said: "slow" } },
    });
    const done = `{"jsonrpc":"2.0","id":${idText},"result":{"resultType":"complete"}}`;
    expect(JSON.parse(delivered(await third.actOn(done, never))).id).toBe(0);
  });

  it("leaves nothing to the next question, though the server asks under the same keys", async () => {
    next = holding;
    const sentAway = delivered(await (await round(call())).actOn(question, never));
    next = null;
    const one = await round(backWith(sentAway));
    const { idText } = sent(await one.actOn(one.held ?? "", never));
    expect(asked.splice(0)).toEqual(["quick", "slow", "slow"]);
    const keysBefore = replayKeys.splice(0);
    next = async (key) => ok(JSON.stringify({ saidAnew: key }));
    const further = asks({ quick: entry("and?"), slow: entry("may I again?") }, '"def"', idText);
    const answered = sent(await one.actOn(further, never));
    expect(asked).toEqual(["quick", "slow"]);
    expect(JSON.parse(answered.text).params).toMatchObject({
      requestState: "def",
      inputResponses: { quick: { saidAnew: "quick" }, slow: { saidAnew: "slow" } },
    });
    for (const key of replayKeys) expect(keysBefore).not.toContainEqual(key);
  });

  it("comes back as often as it takes, which counts as no further round", async () => {
    next = holding;
    let text = delivered(await (await round(call())).actOn(question, never));
    for (let count = 0; count < 2 * maxRounds; count += 1) {
      const one = await round(backWith(text));
      text = delivered(await one.actOn(one.held ?? "", never));
    }
  });

  it("carries its refusal to the client that came back, and no state of another's request", async () => {
    next = holding;
    const sentAway = delivered(await (await round(call())).actOn(question, never));
    const stranger = await about(backWith(sentAway), { owner: { ...owner, keyId: "key_2" } });
    expect(stranger.ok).toBe(false);
    next = async () =>
      err({ refusal: { reason: "user_rejected", by: "approver" }, requestId: "req_1" });
    const one = await round(backWith(sentAway));
    expect(refusalOf(await one.actOn(one.held ?? "", never)).reason).toBe("user_rejected");
  });

  it.each<[string, { more?: JsonObject; callsAgain?: "router" }]>([
    ["the client has entries of its own to answer", { more: { name: elicit } }],
    ["the question is too large for a state", { more: { quick: entry("x".repeat(300_000)) } }],
    ["the client knows no rounds", { callsAgain: "router" }],
  ])("is refused for now where %s", async (_, { more = {}, ...options }) => {
    next = holding;
    const one = await round(call(), options);
    const action = await one.actOn(asks({ slow: entry("may I?"), ...more }, null), never);
    expect(refusalOf(action)).toEqual(pending);
  });

  it("says what failed beside the call that waits", async () => {
    const broken: Refusal = { reason: "provider_failed", attempts: [] };
    next = async (key) =>
      key === "slow" ? holding(key) : err({ refusal: broken, requestId: "req_2" });
    const one = await round(call());
    expect(refusalOf(await one.actOn(question, never))).toEqual(broken);
  });
});
