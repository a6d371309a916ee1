/**
 * Seeded noise around JSON-RPC messages: in the tree, in the bytes, in the headers. The same seed
 * makes the same noise, so whatever it finds can be found again.
 */

export interface Random {
  /** a whole number from 0 to `count` - 1 */
  below(count: number): number;
  pick<T>(items: readonly [T, ...T[]]): T;
  chance(probability: number): boolean;
}

/** mulberry32. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number): number => Math.floor(next() * count);
  return {
    below,
    pick: (items) => items[below(items.length)] ?? items[0],
    chance: (probability) => next() < probability,
  };
}

/** JSON as text in the making: an object may hold a key twice, a leaf may be no JSON at all. */
type Tree = Container | string;
interface Container {
  brackets: "{}" | "[]";
  /** `key` as JSON text, unused in an array */
  entries: { key: string; value: Tree }[];
}

export function treeOf(value: unknown): Tree {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  return {
    brackets: Array.isArray(value) ? "[]" : "{}",
    entries: Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([key, inner]) => ({ key: JSON.stringify(key), value: treeOf(inner) })),
  };
}

export function print(tree: Tree): string {
  if (typeof tree === "string") return tree;
  const { brackets, entries } = tree;
  const inner = entries.map(({ key, value }) =>
    brackets === "[]" ? print(value) : `${key}:${print(value)}`,
  );
  return `${brackets[0]}${inner.join(",")}${brackets[1]}`;
}

/** A place in a tree where something stands. */
interface Place {
  container: Container;
  at: number;
}

function placesIn(tree: Tree): Place[] {
  if (typeof tree === "string") return [];
  return tree.entries.flatMap(({ value }, at) => [{ container: tree, at }, ...placesIn(value)]);
}

const copyOf = (tree: Tree): Tree =>
  typeof tree === "string"
    ? tree
    : {
        brackets: tree.brackets,
        entries: tree.entries.map(({ key, value }) => ({ key, value: copyOf(value) })),
      };

const numbers: readonly [string, ...string[]] = [
  "0",
  "-0",
  "-1",
  "0.5",
  "1e400",
  "-1e400",
  "1e308",
  "5e-324",
  "2147483648",
  "4294967296",
  "9007199254740991",
  "9007199254740992",
  "-9007199254740993",
  "1".repeat(400),
  "1e0",
  "0x10",
  "NaN",
  "Infinity",
  "01",
  "+1",
  "1.",
];

const strings: readonly [string, ...string[]] = [
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udfff\\ud800"',
  '"\\uffff"',
  '"\ufeff"',
  '"\u202eabc"',
  '"e\u0301\u0327"',
  '"👩‍👩‍👧‍👦🏴"',
  '"\u0085\u2028\u2029"',
  '"__proto__"',
  '"constructor"',
  '"2.0"',
  '"2026-07-28"',
  '"2024-11-05"',
  '"\'; drop table requests; --"',
  '"../../../etc/passwd"',
  '"%00%ff"',
  '"${jndi:ldap://x}"',
  '"\\r\\nX-Injected: 1"',
  '"initialize"',
  '"server/discover"',
  '"sampling/createMessage"',
  '"notifications/cancelled"',
  '"tools/call"',
];

/** What a schema knows, as a prototype would offer it: of the wrong type. */
const poisoned = JSON.stringify(
  Object.fromEntries(
    [
      "messages",
      "maxTokens",
      "modelPreferences",
      "hints",
      "metadata",
      "_meta",
      "tools",
      "toolChoice",
      "stopSequences",
      "systemPrompt",
      "temperature",
      "includeContext",
      "name",
      "content",
      "structuredContent",
      "isError",
      "capabilities",
      "features",
      "extensions",
      "description",
      "costPriority",
      "get",
      "then",
      "toJSON",
      "method",
      "params",
      "id",
    ].map((key) => [key, 7]),
  ),
);

const keys: readonly [string, ...string[]] = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "then",
  "toJSON",
  "get",
  "length",
  "",
  "0",
  "-1",
  "\u0000",
  "\ud800",
  "id",
  "method",
  "params",
  "result",
  "error",
  "jsonrpc",
  "_meta",
  "content",
  "type",
  "messages",
  "tools",
  "requestState",
];

const deep = (random: Random): string => {
  const depth = random.pick([3, 30, 63, 64, 65, 200, 20_000]);
  return random.chance(0.5)
    ? `${"[".repeat(depth)}${"]".repeat(depth)}`
    : `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
};

const long = (random: Random): string => {
  const length = random.pick([300, 300, 300, 300, 300, 5_000, 5_000, 5_000, 5_000, 100_000]);
  return random.pick([
    JSON.stringify(random.pick(["a", "é", "👩", "\\", '"', "\u0000", " "]).repeat(length)),
    `[${"0,".repeat(length)}0]`,
    `{${Array.from({ length: Math.min(length, 5_000) }, (_, at) => `"k${at}":0`).join(",")}}`,
  ]);
};

const anything = (random: Random): string =>
  random.pick([
    () => random.pick(["null", "true", "false", "{}", "[]", "[[]]", "[{}]", "[null]", "{}{}"]),
    () => random.pick(numbers),
    () => random.pick(strings),
    () => (random.chance(0.2) ? deep(random) : random.pick(strings)),
    () => (random.chance(0.2) ? long(random) : random.pick(numbers)),
    () => poisoned,
  ])();

type Mutation = (place: Place, random: Random, all: readonly Place[]) => void;

const entryAt = ({ container, at }: Place): Container["entries"][number] =>
  container.entries[at] ?? { key: '""', value: "null" };

const mutations: readonly [Mutation, ...Mutation[]] = [
  // drop
  ({ container, at }) => void container.entries.splice(at, 1),
  // twice, the second time with the same or another value
  (place, random) => {
    const { key, value } = entryAt(place);
    const again = { key, value: random.chance(0.5) ? copyOf(value) : anything(random) };
    place.container.entries.splice(place.at + random.below(2), 0, again);
  },
  // another key
  (place, random) => {
    const entry = entryAt(place);
    entry.key = random.pick([
      JSON.stringify(random.pick(keys)),
      entry.key.toUpperCase(),
      `${entry.key.slice(0, -1)} "`,
      entry.key.replace(/[a-z]/i, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
    ]);
  },
  // another value
  (place, random) => void (entryAt(place).value = anything(random)),
  (place, random) => void (entryAt(place).value = anything(random)),
  // one more key, such as a prototype's
  ({ container }, random) =>
    void container.entries.push({
      key: JSON.stringify(random.pick(keys)),
      value: random.chance(0.5) ? poisoned : anything(random),
    }),
  // wrapped, or what a string says as JSON in a string
  (place, random) => {
    const entry = entryAt(place);
    entry.value = random.pick<Tree>([
      { brackets: "[]", entries: [{ key: "", value: entry.value }] },
      { brackets: "{}", entries: [{ key: '"value"', value: entry.value }] },
      JSON.stringify(print(entry.value)),
    ]);
  },
  // what stands elsewhere
  (place, random, all) => {
    const other = all[random.below(all.length)];
    if (other !== undefined) entryAt(place).value = copyOf(entryAt(other).value);
  },
  // very many of it
  (place, random) => {
    const { key, value } = entryAt(place);
    const times = random.pick([2, 5, 49, 200]);
    if (print(value).length * times < 200_000)
      for (let more = 0; more < times; more += 1)
        place.container.entries.splice(place.at, 0, { key, value: copyOf(value) });
  },
  // an array for an object, and the other way round
  (place) => {
    const { value } = entryAt(place);
    if (typeof value !== "string") value.brackets = value.brackets === "[]" ? "{}" : "[]";
  },
];

/** The message with one to four things wrong, as text. */
export function mutateMessage(message: unknown, random: Random): string {
  const root: Container = { brackets: "[]", entries: [{ key: "", value: treeOf(message) }] };
  const times = random.pick([1, 1, 2, 2, 3, 4]);
  for (let more = 0; more < times; more += 1) {
    const places = placesIn(root);
    const place = places[random.below(places.length)];
    if (place !== undefined) random.pick(mutations)(place, random, places);
  }
  const first = root.entries[0];
  return first === undefined ? "" : print(first.value);
}

const encoder = new TextEncoder();
const notUtf8: readonly [number[], ...number[][]] = [
  [0xff],
  [0x80],
  [0xc0, 0xaf],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xe2, 0x82],
  [0xef, 0xbb, 0xbf],
  [0x00],
];

const join = (...parts: (Uint8Array | number[])[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(parts.flatMap((part) => [...part]));

/** The same with something wrong in its bytes. */
export function mutateBytes(
  bytes: Uint8Array<ArrayBuffer>,
  random: Random,
): Uint8Array<ArrayBuffer> {
  const at = random.below(bytes.length + 1);
  return random.pick([
    () => {
      const flipped = bytes.slice();
      for (let more = random.pick([1, 1, 2, 8]); more > 0; more -= 1) {
        const where = random.below(flipped.length);
        flipped[where] = (flipped[where] ?? 0) ^ (1 << random.below(8));
      }
      return flipped;
    },
    () => bytes.slice(0, at),
    () => bytes.slice(at),
    () => join(bytes.subarray(0, at), random.pick(notUtf8), bytes.subarray(at)),
    () => join(bytes, random.pick([[], [0x0a], [0x2c], [0x00]]), bytes),
    () => join([0xef, 0xbb, 0xbf], bytes),
    () =>
      join(
        [0xff, 0xfe],
        [...bytes].flatMap((byte) => [byte, 0]),
      ),
    () => join(bytes.subarray(0, at), bytes.subarray(random.below(bytes.length + 1))),
    () => Uint8Array.from({ length: random.pick([0, 1, 3, 500]) }, () => random.below(256)),
  ])();
}

export const bytesOf = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text);

const odd: readonly [string, ...string[]] = [
  "",
  " ",
  "x",
  "null",
  "undefined",
  "1999-01-01",
  "2099-12-31",
  "2024-11-05",
  "2025-03-26",
  "2025-06-18",
  "2025-11-25",
  "2026-07-28",
  "2026-07-28, 2026-07-28",
  "2026-07-28 ",
  "2025-11-25;q=1",
  "__proto__",
  "constructor",
  "ses_00000000000000000000000000",
  "\u00e9\u00ff\u0080",
  "=?base64?c2FtcGxpbmc=?=",
  "sampling/createMessage",
  "SAMPLING/CREATEMESSAGE",
  "a".repeat(4_000),
  "'; drop table sessions; --",
  "%00",
  "\t",
];

const accepted: readonly [string, ...string[]] = [
  "application/json",
  "text/event-stream",
  "application/json, text/event-stream",
  "text/event-stream;q=0, application/json",
  "*/*",
  "application/*;q=0.1",
  "text/html",
  ",,,;;;q=",
  "application/json;q=0",
];

const contentTypes: readonly [string, ...string[]] = [
  "application/json",
  "APPLICATION/JSON; charset=utf-8",
  "application/json;charset=utf-16",
  "application/json, application/json",
  "application/jsonx",
  "text/plain",
  "multipart/form-data; boundary=x",
  ";",
];

/** The headers with one to three of them wrong, doubled or gone. The key stays, nearly always. */
export function mutateHeaders(
  headers: Readonly<Record<string, string>>,
  random: Random,
): Record<string, string | string[]> {
  const mutated: Record<string, string | string[]> = { ...headers };
  for (let more = random.pick([1, 1, 2, 3]); more > 0; more -= 1) {
    const name = random.pick([
      "Mcp-Session-Id",
      "MCP-Protocol-Version",
      "Mcp-Method",
      "Mcp-Name",
      "Accept",
      "Content-Type",
      "Last-Event-ID",
      "Idempotency-Key",
      "Authorization",
    ]);
    if (name === "Authorization" && random.chance(0.8)) continue;
    if (random.chance(0.25)) delete mutated[name];
    else if (name === "Accept") mutated[name] = random.pick(accepted);
    else if (name === "Content-Type") mutated[name] = random.pick(contentTypes);
    else if (name === "Authorization")
      mutated[name] = random.pick([
        "Bearer",
        "Bearer ",
        "Basic eDp5",
        `Bearer srk_x_${"A".repeat(43)}`,
      ]);
    else if (random.chance(0.15) && name !== "Last-Event-ID")
      mutated[name] = [headers[name] ?? random.pick(odd), random.pick(odd)];
    else mutated[name] = random.pick(odd);
  }
  return mutated;
}
