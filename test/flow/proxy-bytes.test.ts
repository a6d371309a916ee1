/** A legacy client's messages reach its server byte for byte, except the capabilities of `initialize`. */
import type { ServerResponse } from "node:http";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTenant } from "../fakes/caller.ts";
import { startScriptedServer, type FakeServer, type Heard } from "../fakes/mcp-servers.ts";
import { oddJson, oddObject } from "../fakes/odd-json.ts";
import { openRaw, proxyKey, register } from "../fakes/proxied.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { isSecondHost } from "../setup/on-both-hosts.ts";

const tenant = "proxy-bytes";
let router: SharedRouter;
let server: FakeServer;
let key = "";
const urls = { router: "", client: "", "client-then-router": "" };
type Mode = keyof typeof urls;

function answer(heard: Heard, response: ServerResponse): void {
  const { id, method, params } = heard.body ?? {};
  if (heard.method !== "POST") return void response.writeHead(405).end();
  if (method !== "initialize") return void response.writeHead(202).end();
  const { protocolVersion } = params as Record<string, unknown>;
  const serverInfo = { name: "s", version: "1" };
  response.writeHead(200, {
    "content-type": "application/json",
    "mcp-session-id": `s-${String(id)}`,
  });
  const result = { protocolVersion, capabilities: {}, serverInfo };
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
}

beforeAll(async () => {
  router = await borrowRouter();
  // No provider is called. The server is told only that there is a model.
  await createTenant(router, tenant, { provider: "openai" });
  key = await proxyKey(router, tenant);
  server = await startScriptedServer(answer);
  for (const mode of ["router", "client", "client-then-router"] as const)
    urls[mode] = await register(router, tenant, { slug: mode, url: server.url, sampling: mode });
});
afterAll(async () => {
  await server?.stop();
});

const version = ["jsonrpc", '"2.0"'] as const;
const id = fc.constantFrom(
  "0",
  "-7",
  "1.0",
  "1e2",
  "9007199254740993",
  "12345678901234567890",
  '"\\u0069d"',
  '"é😀\\/"',
  '""',
);
const params = fc
  .array(fc.tuple(fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }), oddJson), {
    maxLength: 4,
  })
  .chain((members) => oddObject([["name", '"t"'], ...members]));
const methods = {
  request: [
    "tools/call",
    "tools/list",
    "prompts/get",
    "resources/read",
    "completion/complete",
    "ping",
    "acme/own",
    // A request of the client's own, which the router does not answer.
    "sampling/createMessage",
  ],
  notification: [
    "notifications/initialized",
    "notifications/progress",
    "notifications/cancelled",
    "notifications/roots/list_changed",
    "acme/noticed",
  ],
};
const request = fc
  .tuple(id, fc.constantFrom(...methods.request), params)
  .chain(([its, method, text]) =>
    oddObject([version, ["id", its], ["method", JSON.stringify(method)], ["params", text]]),
  );
const notification = fc
  .tuple(fc.constantFrom(...methods.notification), params, fc.boolean())
  .chain(([method, text, silent]) =>
    oddObject([
      version,
      ["method", JSON.stringify(method).replace("/", "\\/")],
      ...(silent ? [] : [["params", text] as const]),
    ]),
  );
const response = fc
  .tuple(id, fc.constantFrom("result", "error"), oddJson, fc.integer())
  .chain(([its, kind, text, code]) =>
    oddObject([
      version,
      ["id", its],
      kind === "result"
        ? ["result", `{ "x":${text}}`]
        : ["error", `{"message":"no","code":${code}, "data":${text}}`],
    ]),
  );
const one = fc.oneof(request, notification, response);
const around = fc.tuple(fc.constantFrom("", " ", "\n", "\r\n\t"), fc.constantFrom("", "\n", "  "));
const spaced = (text: fc.Arbitrary<string>) =>
  fc.tuple(around, text).map(([[before, after], its]) => Buffer.from(before + its + after));
const batch = fc
  .array(one, { minLength: 1, maxLength: 4 })
  .map((messages) => `[ ${messages.join(" ,\n")}]`);
/** JSON that is no message at all is for the server to refuse. */
const odd = fc.constantFrom(Buffer.from("\uFEFF{}"), Buffer.from("null"), Buffer.from('"text"'));
/** No JSON, or no UTF-8: a server that is less strict could read anything in it. */
const broken = fc.constantFrom(
  Buffer.from('{"jsonrpc":"2.0","method":"notifications/x"'),
  Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
);

const heardOf = (): Buffer[] =>
  server.heard.flatMap(({ method, bytes }) => (method === "POST" ? [bytes] : []));

/** The second host gets the first hundred of the same messages. */
const max = isSecondHost ? 100 : 350;

describe("a recorded session of a client", () => {
  it.each<[Mode, string, number, fc.Arbitrary<Buffer>]>([
    ["router", "2025-11-25", max, fc.oneof({ weight: 30, arbitrary: spaced(one) }, odd)],
    ["router", "2025-03-26", max, fc.oneof(spaced(one), spaced(batch))],
    ["client-then-router", "2025-06-18", 150, spaced(one)],
    ["client", "2025-11-25", 150, fc.oneof(spaced(one), odd, broken)],
  ])(
    "reaches the server byte for byte: %s, %s, %i messages",
    async (mode, revision, numRuns, of) => {
      const raw = await openRaw(urls[mode], key, { revision, capabilities: { roots: {} } });
      server.heard.length = 0;
      const sent = fc.sample(of, { numRuns, seed: 20_251_125 });
      for (const bytes of sent) {
        const answered = await raw.post(bytes as unknown as string);
        expect(answered.status).toBe(202);
      }
      const heard = heardOf();
      expect(heard).toHaveLength(numRuns);
      // Compared as bytes: decoded, all texts that are no UTF-8 would look the same.
      for (const [at, bytes] of sent.entries())
        if (heard[at]?.equals(bytes) !== true)
          expect(heard[at]?.toString("latin1"), `message ${at}`).toBe(bytes.toString("latin1"));
    },
    60_000,
  );

  it("begins with an initialize that is the client's own but for its sampling", async () => {
    const own = '{"context": {"\\u0061" : 1.0}}';
    const capabilities = fc
      .tuple(oddJson, fc.boolean())
      .chain(([text, samples]) =>
        oddObject([
          ["roots", '{"listChanged" :true}'],
          ["experimental", `{"x":${text}}`],
          ...(samples ? [["sampling", own] as const] : []),
        ]),
      );
    const message = fc
      .tuple(capabilities, oddJson)
      .chain(([declared, text]) =>
        oddObject([
          ["protocolVersion", '"2025-11-25"'],
          ["capabilities", declared],
          ["clientInfo", `{"version":"\\u0031","name":"é","x":${text}}`],
        ]),
      )
      .chain((its) =>
        oddObject([version, ["id", '"init"'], ["method", '"initialize"'], ["params", its]]),
      );
    for (const bytes of fc.sample(spaced(message), { numRuns: 50, seed: 3 })) {
      const sent = bytes.toString();
      const post = async (mode: Mode): Promise<string> => {
        server.heard.length = 0;
        const answered = await fetch(urls[mode], {
          method: "POST",
          headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
          body: sent,
        });
        expect(answered.status).toBe(200);
        return server.heard[0]?.text ?? "";
      };
      expect(await post("client")).toBe(sent);
      const told = await post("router");
      // Its own is replaced where it stands; where it has none, one more member stands first.
      if (sent.includes(own)) expect(told).toBe(sent.replace(own, '{"tools":{}}'));
      else {
        expect(told).toMatch(/"capabilities"\s*:\s*\{"sampling":\{"tools":\{\}\},/);
        expect(told.replace('"sampling":{"tools":{}},', "")).toBe(sent);
      }
    }
  });
});
