/** Places at which somebody shows a key: an outage of the database is nobody's failure. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Refusal } from "../../../../src/domain/refusals.ts";
import { err, ok } from "../../../../src/domain/result.ts";
import { createConsentPeople } from "../../../../src/pipeline/people/consent-people.ts";
import { createConsoleSessions } from "../../../../src/pipeline/people/console-sessions.ts";
import { createOauthConsents } from "../../../../src/pipeline/people/consent/oauth-consents.ts";
import { createPersonConnections } from "../../../../src/pipeline/people/consent/person-connections.ts";
import { createPersonPageSignIn } from "../../../../src/pipeline/people/consent/person-page-sign-in.ts";
import { createSignInThrottle } from "../../../../src/pipeline/people/sign-in-throttle.ts";

const unavailable: Refusal = { reason: "unavailable", retryAfterMs: 1_000 };
const unauthorized: Refusal = { reason: "unauthorized", detail: "Unknown API key." };
const address = "192.0.2.1";
const place = { tenant: "acme", server: null };
const approved = { facts: { resource: { kind: "server", tenant: "acme", server: "s" } } };

let noted = 0;
/** why no key opens anything, and why no page is found */
let refusal: Refusal;
let noPage: Refusal | null;
beforeEach(() => {
  noted = 0;
  noPage = null;
});

const note = async () => {
  noted += 1;
};
/** The use cases ask these fakes alone, so the types of all that they lack are put aside: no sign-in succeeds here. */
const given = (deps: object): never => deps as never;
const database = {
  authenticate: async () => err(refusal),
  people: createConsentPeople(
    given({ tenants: { bySlug: async () => ok(null) }, noteFailed: note }),
  ),
};
const databases = () => ({
  databaseOfKey: () => database,
  databaseOfSlug: async () => (noPage === null ? ok(database) : err(noPage)),
  throttle: createSignInThrottle({ capacity: 100, notesPerMinute: 100, elapsed: () => 1_000 }),
});

const signIns: [string, () => () => Promise<unknown>][] = [
  [
    "the console",
    () => {
      const deps = {
        ...databases(),
        keyTokens: { keyIdOf: () => null },
        isOperator: async () => false,
        authenticate: database.authenticate,
        noteFailed: note,
      };
      const sessions = createConsoleSessions(given(deps));
      return () => sessions.signIn({ key: "k", address });
    },
  ],
  [
    "the consent page",
    () => {
      const server = { approve: async () => ok(approved), reopen: async () => err("reopened") };
      const consents = createOauthConsents(given({ ...databases(), server }));
      const request = new Request("https://router.example/oauth/authorize");
      return () => consents.allowByKey(request, { handle: "h", key: "k", address });
    },
  ],
  [
    "the page that connects an account",
    () => {
      const connections = createPersonConnections(given(databases()));
      const at = { tenant: "acme", server: "s", ownUrl: "https://router.example" };
      return () => connections.byKey({ ...at, key: "k", address });
    },
  ],
  [
    "a person's own page",
    () => {
      const page = createPersonPageSignIn(given(databases()));
      return () => page.byKey({ place, key: "k", address });
    },
  ],
];

describe.each(signIns)("at %s", (_, opened) => {
  it("an outage of the database keeps nobody waiting, and no event tells of a failure", async () => {
    refusal = unavailable;
    const signIn = opened();
    for (let tries = 0; tries < 10; tries += 1)
      expect(JSON.stringify(await signIn())).not.toContain("signIn.failures");
    expect(noted).toBe(0);
  });

  it("a key that opens nothing is a failure, which is noted and slowed", async () => {
    refusal = unauthorized;
    const signIn = opened();
    for (let tries = 0; tries < 6; tries += 1) await signIn();
    expect(noted).toBe(6);
    await signIn();
    expect(noted).toBe(6);
  });
});

it("a page whose database does not answer keeps nobody waiting", async () => {
  refusal = unauthorized;
  noPage = unavailable;
  const connections = createPersonConnections(given(databases()));
  const asked = { tenant: "acme", server: "s", key: "k", address, ownUrl: "https://r.example" };
  for (let tries = 0; tries < 10; tries += 1)
    expect(await connections.byKey(asked)).toEqual(err(unavailable));
});
