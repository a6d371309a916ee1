/** Identity assertions in the place of a consent: each claim that is wrong opens nothing. */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Assertion, GrantFor } from "../../../src/domain/ports/authorization-server.ts";
import type { AsyncResult } from "../../../src/domain/refusals.ts";
import { err, ok } from "../../../src/domain/result.ts";
import { assertionFields, createAsserter, type Asserter } from "../../fakes/asserter.ts";
import { formRequest, registration, registrationRequest } from "../../fakes/oauth-client.ts";
import { createOwnAuthorizationServer, issuer } from "../../fakes/own-authorization-server.ts";

const path = "/mcp/acme/notes";
const resource = `${issuer}${path}`;
const holder = {
  tenantId: "ten_0000000000000000000000000a",
  keyId: "key_0000000000000000000000000a",
};
const user = { id: "usr_1" };

let trusted: Asserter;
let stranger: Asserter;
beforeAll(async () => {
  const of = { audience: issuer, resource };
  trusted = await createAsserter({ ...of, issuer: "https://idp.test" });
  stranger = await createAsserter({ ...of, issuer: "https://stranger.test" });
});

let keysAsked: number;
let asserted: Assertion[];
let grantFor: () => AsyncResult<GrantFor | null>;
let server: ReturnType<typeof started>;
let client: { client_id: string; client_secret: string };

const started = () =>
  createOwnAuthorizationServer({
    fetch: async () => {
      keysAsked += 1;
      return Response.json(trusted.keys);
    },
    assertions: {
      keysOf: async ({ resource: of, issuer: named }) =>
        ok(of.tenant === "acme" && named === trusted.issuer ? trusted.keysAt : null),
      async grantFor(assertion) {
        asserted.push(assertion);
        return grantFor();
      },
    },
  });

async function registered(change: object) {
  const of = { ...registration, ...change };
  const answer = await server.register(registrationRequest(issuer, of), JSON.stringify(of));
  return (await answer.json()) as { client_id: string; client_secret: string };
}

beforeEach(async () => {
  keysAsked = 0;
  asserted = [];
  grantFor = async () => ok({ holder, user });
  server = started();
  client = await registered({ token_endpoint_auth_method: "client_secret_post" });
});

async function ask(fields: Record<string, string>) {
  const request = formRequest(`${issuer}/oauth/token`, fields);
  const answer = await server.token(request, new URLSearchParams(fields).toString());
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
}

const secretOf = ({ client_id, client_secret } = client) => ({ client_id, client_secret });
const exchange = async (change: object = {}, header: object = {}, by = trusted) =>
  ask(
    assertionFields(
      secretOf(),
      await by.assertion({ client_id: client.client_id, ...change }, header),
    ),
  );

describe("an identity assertion of a trusted issuer", () => {
  it("gives an access token for its resource alone, for its person, and no refresh token", async () => {
    const { status, body } = await exchange({ groups: ["engineering"] });
    expect([status, body["scope"], body["refresh_token"]]).toEqual([200, "proxy", undefined]);
    const token = body["access_token"] ?? "";
    const rights = await server.check(token, path);
    expect(rights).toMatchObject({ ok: true, value: { holder, user, scopes: ["proxy"] } });
    expect(await server.check(token, "/mcp/acme/other")).toEqual(ok(null));
    expect(asserted).toMatchObject([
      {
        resource: { kind: "server", tenant: "acme", server: "notes" },
        issuer: trusted.issuer,
        claims: { sub: "ann", groups: ["engineering"] },
        client: { id: client.client_id, name: "A client", domain: null },
      },
    ]);
  });

  it("counts once", async () => {
    const fields = assertionFields(
      secretOf(),
      await trusted.assertion({ client_id: client.client_id }),
    );
    expect((await ask(fields)).status).toBe(200);
    expect(await ask(fields)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });

  it("opens nothing where the tenant does not let the program in", async () => {
    grantFor = async () => ok(null);
    expect(await exchange()).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });

  it("is answered with 503 while the database is out of reach", async () => {
    grantFor = async () => err({ reason: "unavailable", retryAfterMs: 1_000 });
    expect((await exchange()).status).toBe(503);
  });

  it("makes the router ask for the issuer's keys once in a while", async () => {
    for (let count = 0; count < 5; count += 1) await exchange({}, { kid: `forged-${count}` });
    expect(keysAsked).toBe(1);
  });
});

describe("an assertion opens nothing", () => {
  const past = Math.floor(Date.now() / 1_000) - 600;
  it.each<[string, object, object, string]>([
    ["for another authorization server", { aud: "https://other.test" }, {}, "invalid_grant"],
    ["for two of them", { aud: [issuer, "https://other.test"] }, {}, "invalid_grant"],
    ["for another program", { client_id: "somebody" }, {}, "invalid_grant"],
    ["for a resource elsewhere", { resource: "https://other.test/mcp/a/b" }, {}, "invalid_target"],
    ["for no resource", { resource: undefined }, {}, "invalid_target"],
    ["for another tenant", { resource: `${issuer}/mcp/other/notes` }, {}, "invalid_grant"],
    ["that is over", { iat: past, exp: past + 60 }, {}, "invalid_grant"],
    ["that holds for a day", { exp: past + 86_400 }, {}, "invalid_grant"],
    ["without an id", { jti: undefined }, {}, "invalid_grant"],
    ["without a person", { sub: undefined }, {}, "invalid_grant"],
    ["that is another kind of token", {}, { typ: "JWT" }, "invalid_grant"],
    ["that nobody signed", {}, { alg: "none" }, "invalid_grant"],
    ["with a key that the issuer lacks", {}, { kid: "two" }, "invalid_grant"],
  ])("%s", async (_, change, header, error) => {
    const { status, body } = await exchange(change, header);
    expect([status, body["error"], body["access_token"]]).toEqual([400, error, undefined]);
    expect(asserted).toEqual([]);
  });

  it("of an issuer that the tenant does not trust", async () => {
    expect((await exchange({}, {}, stranger)).body["error"]).toBe("invalid_grant");
    expect(keysAsked).toBe(0);
  });

  it("that a stranger signed in the trusted issuer's name", async () => {
    const { body } = await exchange({ iss: trusted.issuer }, {}, stranger);
    expect(body["error"]).toBe("invalid_grant");
  });

  it("of a program that can't prove who it is", async () => {
    const { client_id } = await registered({});
    const assertion = await trusted.assertion({ client_id });
    const { status, body } = await ask(assertionFields({ client_id }, assertion));
    expect([status, body["error"]]).toEqual([401, "invalid_client"]);
    const wrong = { client_id: client.client_id, client_secret: "wrong" };
    const stolen = await trusted.assertion({ client_id: client.client_id });
    expect((await ask(assertionFields(wrong, stolen))).status).toBe(401);
    expect(asserted).toEqual([]);
  });

  it("beside another resource in the request", async () => {
    const assertion = await trusted.assertion({ client_id: client.client_id });
    const { body } = await ask({
      ...assertionFields(secretOf(), assertion),
      resource: `${issuer}/mcp/acme/second`,
    });
    expect(body["error"]).toBe("invalid_target");
  });
});
