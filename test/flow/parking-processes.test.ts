/** Parked calls of several processes or isolates over one database: a client may answer at any of them, and one keeps the call. */
import { randomUUID } from "node:crypto";
import { createClient, type Client } from "@libsql/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sharing } from "../setup/shared-settings.ts";
import { createTenant } from "../fakes/caller.ts";
import { gates, startLegacyServer } from "../fakes/era-servers.ts";
import { modernMeta, proxyKey, register, sendModern, until } from "../fakes/proxied.ts";
import type { Router } from "../fakes/router.ts";
import { messagesOf, type Message } from "../fakes/sse-messages.ts";
import { startTwo, type Asked, type TwoRouters } from "../fakes/two-routers.ts";

const env = {
  MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
  ADMIN_TOKEN: "operator-token-of-the-tests",
};
const entry = { bridge: "always", parking: true };
let pair: TwoRouters;
let owner: Asked;
let other: Asked;
/** null: the tenant's object has it */
let database: Client | null;
let server: Awaited<ReturnType<typeof startLegacyServer>>;
let key = "";

async function start(how: (typeof sharing)[number]): Promise<void> {
  server = await startLegacyServer();
  pair = await startTwo(how, { env, host: "node" });
  [owner, other] = pair.routers;
  database = pair.sqldUrl === null ? null : createClient({ url: pair.sqldUrl });
  for (const tenant of ["parks", "strangers"]) {
    await createTenant(owner, tenant, { provider: "openai", baseUrl: "http://127.0.0.1:9" });
    await register(owner, tenant, { slug: "s", url: server.url, ...entry });
  }
  await register(owner, "parks", { slug: "t", url: server.url, ...entry });
  key = await proxyKey(owner, "parks");
}
async function end(): Promise<void> {
  database?.close();
  await Promise.all([pair?.stop(), server?.stop()]);
}

interface Sent {
  at: Asked;
  q: string;
  name?: string;
  path?: string;
  token?: string;
  state?: unknown;
  answer?: string;
  signal?: AbortSignal;
}
async function send(sent: Sent): Promise<Message> {
  const { at, q, name = "gated", path = "parks/s", token = key, state, answer, signal } = sent;
  const response = await sendModern(`${at.url}/mcp/${path}`, token, {
    method: "tools/call",
    params: {
      name,
      arguments: { q },
      ...(state !== undefined && { requestState: state }),
      ...(answer !== undefined && {
        inputResponses: {
          "sampling-router/question": { action: "accept", content: { name: answer } },
        },
      }),
      _meta: modernMeta({ elicitation: {} }),
    },
    ...(signal !== undefined && { signal }),
  });
  return (await messagesOf(response).next()).value ?? {};
}
async function begin(name = "gated", token = key) {
  const q = randomUUID();
  const { result } = await send({ at: owner, q, name, token });
  expect(result).toMatchObject({ resultType: "input_required" });
  return { q, name, token, state: result?.["requestState"] };
}
const calls = (q: string): number =>
  server.heard.filter(({ text }) => text.includes(q) && text.includes("tools/call")).length;
const rows = async (sql: string): Promise<unknown[]> => (await database?.execute(sql))?.rows ?? [];
const lost = "may have taken effect, and isn't repeated";
const messageOf = ({ error }: Message): unknown => error?.["message"];

describe.each(sharing)("two %s: a client's answer at the other", (how) => {
  beforeAll(() => start(how));
  afterAll(end);

  it("reaches the one that keeps the call, and so do equal answers at both", async () => {
    const asked = await begin();
    const answers = [owner, other, other].map((at) => send({ at, ...asked, answer: "Ada" }));
    await until(() => gates.has(asked.q));
    if (database !== null)
      await until(
        async () => (await rows("select id from questions where content is null")).length === 2,
      );
    gates.get(asked.q)?.();
    // In an object, an answer may be too late to join.
    const joined = database === null ? /Ada|may have taken effect/ : /Ada/;
    const messages = (await Promise.all(answers)).map((message) => JSON.stringify(message));
    for (const message of messages) expect(message).toMatch(joined);
    expect(messages.join()).toContain("Ada");
    expect(calls(asked.q)).toBe(1);
    expect(await rows("select id from questions")).toEqual([]);
    expect(await rows("select id from sessions where parked_until is not null")).toEqual([]);
    expect(messageOf(await send({ at: other, ...asked, answer: "Ada" }))).toContain(lost);
    expect(calls(asked.q)).toBe(1);
  });

  it("brings the next question, which is answered at the first", async () => {
    const asked = await begin("twice");
    const next = await send({ at: other, ...asked, answer: "one" });
    expect(next.result).toMatchObject({ resultType: "input_required" });
    const again = await send({ at: other, ...asked, state: next.result?.["requestState"] });
    const state = again.result?.["requestState"];
    const { result } = await send({ at: owner, ...asked, state, answer: "two" });
    expect(JSON.stringify(result)).toMatch(/one.*two/);
    expect(calls(asked.q)).toBe(1);
  });

  it("counts once: of two that differ and come at the same time, one goes on", async () => {
    const asked = await begin();
    const both = [owner, other].map((at, nth) => send({ at, ...asked, answer: `answer ${nth}` }));
    await until(() => gates.has(asked.q));
    const refused = await Promise.race(both);
    gates.get(asked.q)?.();
    const results = (await Promise.all(both)).filter(({ result }) => result !== undefined);
    expect(results).toHaveLength(1);
    expect(refused.error).toMatchObject({ code: -32602 });
  });

  it("is refused in the same words for every other caller, request, server and state", async () => {
    const asked = await begin();
    const given = { at: other, ...asked, answer: "Mallory" };
    const crossed = await Promise.all([
      send({ ...given, token: await proxyKey(owner, "parks") }),
      send({ ...given, path: "strangers/s", token: await proxyKey(owner, "strangers") }),
      send({ ...given, path: "parks/t" }),
      send({ ...given, q: "another" }),
      send({ ...given, name: "form" }),
      send({ ...given, state: `${String(asked.state)}x` }),
      send({ ...given, state: (await begin()).state }),
    ]);
    const words = messageOf(crossed[0] ?? {});
    expect(words).toContain("requestState");
    for (const message of crossed) expect(messageOf(message)).toBe(words);
    expect(gates.has(asked.q)).toBe(false);
    const taken = send({ at: other, ...asked, answer: "Ada" });
    await until(() => gates.has(asked.q));
    expect(messageOf(await send(given))).toBe(words);
    gates.get(asked.q)?.();
    expect(JSON.stringify((await taken).result)).toContain("Ada");
  });

  it("finds the limits of both", async () => {
    const token = await proxyKey(owner, "parks");
    const parked = await Promise.all(
      Array.from({ length: 20 }, (_, nth) =>
        send({ at: nth % 2 === 0 ? owner : other, q: `n${nth}`, name: "form", token }),
      ),
    );
    for (const { result } of parked) expect(result).toMatchObject({ resultType: "input_required" });
    for (const at of [owner, other])
      expect((await send({ at, q: "more", name: "form", token })).error).toMatchObject({
        data: { reason: "rate_limited", limit: "key.parkedCalls" },
      });
  });
});

describe("two processes", () => {
  beforeAll(() => start("processes on a libSQL server"));
  afterAll(end);

  it("an answer is sealed while it is stored, and a client that leaves ends its call", async () => {
    const asked = await begin();
    const left = new AbortController();
    const { signal } = left;
    const canary = `canary ${asked.q}`;
    let dump = "";
    const answered = send({ at: other, ...asked, answer: canary, signal }).catch(() => null);
    await until(async () => {
      dump += JSON.stringify(await rows("select * from questions"));
      return gates.has(asked.q);
    });
    dump += JSON.stringify(await rows("select * from questions"));
    expect(dump).toContain("qst_");
    expect(dump).not.toContain(canary);
    // The only client leaves, so the call ends.
    left.abort();
    await answered;
    await until(async () => (await rows("select id from questions")).length === 0);
    await until(() => server.heard.some(({ text }) => text.includes("notifications/cancelled")));
    for (const { output } of [owner, other]) expect(output()).not.toContain(asked.q);
  });

  it("a process that is killed: a client that answers elsewhere hears that the call may have run", async () => {
    const asked = await begin();
    const answered = send({ at: other, ...asked, answer: "Ada" });
    await until(() => gates.has(asked.q));
    await (owner as Router).kill9();
    gates.get(asked.q)?.();
    // The lease would end a minute later.
    await database?.execute("update sessions set parked_until = 0 where parked_until is not null");
    expect(messageOf(await answered)).toContain(lost);
    expect(messageOf(await send({ at: other, ...asked, answer: "Ada" }))).toContain(lost);
    expect(calls(asked.q)).toBe(1);
  });
});
