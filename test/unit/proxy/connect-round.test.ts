/** The round in which a person connects an account: what the client is asked, and how long it waits. */
import { beforeEach, expect, it } from "vitest";
import { createVault } from "../../../src/crypto/vault.ts";
import type { Refusal } from "../../../src/domain/refusals.ts";
import { maxRounds, type CarriedState } from "../../../src/domain/sampling/rounds.ts";
import { roundWire } from "../../../src/mcp/rev2026/round.ts";
import { createConnectRound } from "../../../src/proxy/modern/connect-round.ts";
import {
  connectAnswerIn,
  connectEntry,
  createRoundStates,
  type ConnectAnswer,
  type RoundRequest,
  type RoundStates,
} from "../../../src/proxy/modern/round-state.ts";

const owner = {
  tenantId: "ten_1",
  keyId: "key_1",
  grantId: null,
  userId: null,
  serverId: "srv_1",
  digest: "d",
};
const url = "https://router.test/oauth/connect?tenant=a&server=b";
const needed = { reason: "authorization_needed", server: "b", url } as const;
const stays = new AbortController().signal;
let states: RoundStates;
let waited: number[];

beforeEach(async () => {
  waited = [];
  const vault = await createVault({
    master: new Uint8Array(32),
    previous: null,
    randomBytesOf: (count) => crypto.getRandomValues(new Uint8Array(count)),
    derivedFor: "rounds",
  });
  states = createRoundStates({ vault, nonce: () => crypto.randomUUID(), now: () => 1_000_000 });
});

const round = (answer: ConnectAnswer, more: Partial<RoundRequest> = {}) =>
  createConnectRound(
    { wire: roundWire, states, wait: async (ms) => void waited.push(ms) },
    {
      answer,
      request: {
        text: "",
        idText: '"seven"',
        method: "tools/call",
        owner: async () => owner,
        mode: "router",
        declared: { elicitation: { url: {} } },
        callsAgain: "client",
        sealsState: false,
        tasks: null,
        ...more,
      },
    },
  );

const sent =
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"inputResponses":{"name":{"action":"accept"}},"requestState":"theirs"}}';
const ask = (
  answer: ConnectAnswer,
  { rounds = 0, ...more }: Partial<RoundRequest> & { rounds?: number } = {},
) => round(answer, more).ask(needed, { sent, rounds });

async function asked(answer: ConnectAnswer) {
  const text = (await ask(answer)) ?? "";
  const { id, result } = JSON.parse(text) as {
    id: unknown;
    result: { requestState: string; inputRequests?: object };
  };
  const opened = await states.open(owner, result.requestState);
  return {
    id,
    entries: Object.keys(result.inputRequests ?? {}),
    carried: opened.ok ? opened.value : null,
  };
}

it("keeps what the client had answered, and the server's state, until the client is back", async () => {
  const { id, entries, carried } = await asked("none");
  expect([id, entries]).toEqual(["seven", [connectEntry]]);
  expect(carried).toMatchObject({
    state: '"theirs"',
    answers: [["name", '{"action":"accept"}']],
    rounds: 1,
  });
  expect(carried?.connecting).toBeUndefined();
});

it("asks a person who went to the page not again, and has the client come back", async () => {
  const { entries, carried } = await asked("accepted");
  expect(entries).toEqual([]);
  expect(carried?.connecting).toBe(true);
  expect(connectAnswerIn(new Map(), carried)).toBe("accepted");
});

const unasked: [string, ConnectAnswer, Parameters<typeof ask>[1]][] = [
  ["said no", "declined", {}],
  ["opens no addresses", "none", { declared: { elicitation: { form: {} } } }],
  [
    "wants no interaction",
    "none",
    {
      declared: {
        elicitation: { url: {} },
        extensions: {
          "io.modelcontextprotocol/content-negotiation": {
            version: "1.0",
            features: ["!interactive"],
          },
        },
      },
    },
  ],
  ["stands behind a bridge", "none", { callsAgain: "router" }],
  ["was asked too often", "accepted", { rounds: maxRounds }],
];
// cites: N-011
it.each(unasked)("asks nobody who %s", async (_, answer, more) => {
  expect(await ask(answer, more)).toBeNull();
});

it("looks for the account for 20 seconds, once the person went to connect it", async () => {
  const waiting = round("accepted");
  const looked: boolean[] = [];
  for (let each = 0; each < 22; each += 1) looked.push(await waiting.looksAgain(needed, stays));
  expect(looked.filter(Boolean)).toHaveLength(20);
  expect(waited).toEqual(Array(20).fill(1_000));
  const other: Refusal = { reason: "server_timeout", detail: "mcp.example:443" };
  expect(await round("accepted").looksAgain(other, stays)).toBe(false);
  expect(await round("none").looksAgain(needed, stays)).toBe(false);
  expect(await round("accepted").looksAgain(needed, AbortSignal.abort())).toBe(false);
});

it.each<[string | null, CarriedState["connecting"], ConnectAnswer]>([
  [null, undefined, "none"],
  [null, true, "accepted"],
  ['{"action":"accept"}', undefined, "accepted"],
  ['{"action":"cancel"}', true, "declined"],
  ['"accept"', undefined, "declined"],
])("reads the answer %s, after a state that says %s, as %s", (said, connecting, answer) => {
  const responses = new Map(said === null ? [] : [[connectEntry, said]]);
  const carried = connecting === undefined ? null : { ...owner, connecting };
  expect(connectAnswerIn(responses, carried as CarriedState | null)).toBe(answer);
});
