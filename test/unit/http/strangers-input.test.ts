/**
 * What a stranger sends, to whichever endpoint: no input costs more than its bytes. The cost is CPU time of this
 * thread's process, the least of several tries, compared with that of a shorter input of the same shape.
 */
import { describe, expect, it } from "vitest";
import { createApp } from "../../../src/http/app.ts";
import type { Services } from "../../../src/http/context.ts";
import type { ConsentResult } from "../../../src/domain/ports/authorization-server.ts";
import type { Refusal } from "../../../src/domain/refusals.ts";
import { err, ok } from "../../../src/domain/result.ts";
import type { ConsentPrompt } from "../../../src/pipeline/people/consent/consent-grants.ts";
import { unscheduled } from "../../../src/domain/sampling/call-slot.ts";
import { createAddressRate } from "../../../src/pipeline/callers/address-rates.ts";
import { authorizeUrl, pkce, redirectUri, registration } from "../../fakes/oauth-client.ts";
import { createOwnAuthorizationServer, issuer } from "../../fakes/own-authorization-server.ts";
import {
  form,
  query,
  everywhere,
  withoutRate,
  endpoints,
  fill,
  shapes,
  type Send,
} from "./strangers.fixture.ts";

const resource = `${issuer}/mcp/acme/notes`;
const refusal: Refusal = { reason: "unauthorized", detail: "Nobody is known here." };
const refused = async () => err(refusal);

/** What stands in front of a key's check, and the check, which nobody passes. */
const behindKeys = {
  authenticate: refused,
  bodyAllowance: { take: () => ok(() => {}) },
  callScheduler: {
    enter: async () => ok(unscheduled),
    enterFor: async () => ok(unscheduled),
    pause: async () => {},
  },
  report: () => {},
  now: () => 0,
  elapsed: () => 0,
};
const files: Record<string, Uint8Array> = {
  "manifest.json": new TextEncoder().encode(JSON.stringify({ script: "a.js", pages: {} })),
};

/** The app over an authorization server of its own; everything behind it refuses. */
function givenApp(max = Number.MAX_SAFE_INTEGER) {
  const server = createOwnAuthorizationServer({ max: 100 });
  const asked = async (request: Request): ConsentResult<ConsentPrompt> => {
    const open = await server.open(request);
    return open.ok ? ok({ open: open.value, identityProviderHost: null }) : open;
  };
  const app = {
    ids: { next: () => "req_1" },
    report: () => {},
    allowedOrigins: [],
    publicOrigins: [issuer],
    publicUrls: [issuer],
    publicRequests: createAddressRate({
      max,
      windowMs: 60_000,
      capacity: 10,
      limit: "public.requests",
      elapsed: () => 0,
    }),
  };
  const services = {
    app,
    oauth: {
      authorizationServer: () => server,
      consents: () => ({
        open: asked,
        deny: async (request: Request, handle: string) => server.deny(request, handle),
        allowByKey: async (request: Request, { handle }: { handle: string }) =>
          server.approve(request, handle),
        allowBySignIn: async (request: Request, { handle }: { handle: string }) =>
          server.approve(request, handle),
        finishSignIn: async (request: Request) => server.finishSignIn(request),
      }),
      challenges: { metadataOf: async () => null, challenge: async () => null },
      registrations: () => null,
      consentOpenings: () => null,
      finishAuthorization: refused,
      connections: { byKey: refused },
      people: {
        sessions: { find: async () => ok(null) },
        signIn: {
          identityProviderHost: async () => ok(null),
          byKey: refused,
          begin: refused,
          finish: refused,
        },
        change: refused,
      },
    },
    console: {
      consoleSessions: { signIn: refused, find: refused },
      personSignInOf: async () => ok({ begin: refused, finish: refused, offered: async () => [] }),
    },
    audit: { auditKeys: async () => ok([]) },
    sampling: behindKeys,
    dryRun: behindKeys,
    proxy: {
      ...behindKeys,
      challenges: { challenge: async () => null },
      streams: { untilOpened: async () => {}, isOpening: () => () => {} },
    },
    admin: {
      authenticate: refused,
      isOperator: async () => ok(false),
      consoleSessions: { find: refused },
    },
    health: { readiness: { check: async () => ok({ missingMigrations: [] }) } },
    metrics: {
      isOperator: async () => ok(false),
      shownMetrics: () => ({ text: "", type: "text/plain" }),
    },
    consolePage: { consoleFiles: { read: async (name: string) => files[name] ?? null } },
  } as unknown as Services;
  const routes = createApp();
  return {
    server,
    paths: routes.routes,
    send: async (path: string, init: RequestInit = {}, address = "192.0.2.1") =>
      routes.request(`${issuer}${path}`, init, {
        servicesFor: () => services,
        address: () => address,
      }),
  };
}

describe("an endpoint that needs no key", () => {
  const { paths, send } = givenApp();
  const [short, long] = [1_000, 64_000];
  const tries = 5;

  /** µs of CPU, the least of some tries */
  async function cost(given: Send, text: string): Promise<number> {
    const costs: number[] = [];
    for (let count = 0; count < tries; count += 1) {
      const [path, init] = given(text);
      const before = process.cpuUsage();
      await (await send(path, init)).text();
      const { user, system } = process.cpuUsage(before);
      costs.push(user + system);
    }
    return Math.min(...costs);
  }

  it("is in the list below", () => {
    const known = paths
      .filter(({ method, path }) => method !== "ALL" && !path.startsWith("/admin/v1"))
      .map(({ method, path }) => `${method} ${path}`);
    const listed = [...Object.keys(withoutRate), ...Object.keys(endpoints)];
    expect(listed.toSorted()).toEqual([...new Set(known)].toSorted());
  });

  const admin = paths
    .filter(({ method, path }) => method !== "ALL" && path.startsWith("/admin/v1"))
    .map(({ method, path }): [string, Send[]] => [`${method} ${path}`, [everywhere(method, path)]]);

  it.each([...Object.entries(withoutRate), ...Object.entries(endpoints), ...new Map(admin)])(
    "%s costs no more than its bytes",
    async (_, ways) => {
      const dear: [string, number][] = [];
      for (const given of ways)
        for (const [shape, made] of Object.entries(shapes)) {
          await cost(given, made(short));
          // A floor of 1 ms: below it, the runtime's own work is what is measured.
          const ratio =
            (await cost(given, made(long))) / Math.max(1_000, await cost(given, made(short)));
          // 64 times the bytes. What grows by their square would be 4,096 times as dear.
          if (ratio > 64) dear.push([shape, Math.round(ratio)]);
        }
      expect(dear).toEqual([]);
    },
  );
});

describe("strangers of one network", () => {
  it("are refused beyond their rate, everywhere, and nobody else is", async () => {
    for (const [name, [given]] of Object.entries(endpoints)) {
      const { send } = givenApp(1);
      const [path, init] = given?.("x=y") ?? ["/"];
      expect((await send(path, init, "2001:db8:1::1")).status).not.toBe(429);
      const again = await send(path, init, "2001:db8:1:ffff::1");
      expect([name, again.status]).toEqual([name, 429]);
      expect(await again.text()).toContain("public.requests");
      expect((await send(path, init, "2001:db8:2::1")).status).not.toBe(429);
    }
  });
});

describe("a form or query", () => {
  const { send } = givenApp();
  const told = async (path: string, init?: RequestInit) => {
    const answer = await send(path, init);
    return { status: answer.status, text: await answer.text() };
  };
  const fields = (count: number): string =>
    Array.from({ length: count }, (_, index) => `f${index}=`).join("&");

  it.each(["/oauth/token", "/oauth/authorize", "/oauth/account?tenant=acme"])(
    "at %s has 64 fields and 16 kB at most",
    async (path) => {
      const [at, init] = form(path)(fields(65));
      const tooMany = await told(at, init);
      expect([tooMany.status, tooMany.text]).toEqual([
        400,
        expect.stringContaining("at most 64 fields and 16 kB"),
      ]);
      expect((await told(...form(path)(fields(64)))).text).not.toContain("64 fields");
      expect((await told(...form(path)(fill("a", 16_385)))).status).toBe(413);
      expect((await told(...query(path)(fields(65)))).status).toBe(400);
    },
  );

  it("names no URL that is longer than any real one", async () => {
    const long = `https://a.test/${fill("a", 2_048)}`;
    for (const name of ["client_id", "redirect_uri", "resource"]) {
      const said = await told(...query("/oauth/authorize")(`${name}=${encodeURIComponent(long)}`));
      expect([said.status, said.text]).toEqual([400, expect.stringContaining(`A URL in ${name}`)]);
    }
  });
});

describe("a request that is refused before any page", () => {
  const { server, send } = givenApp();
  const opened = async (redirect: string, change: Record<string, string>) => {
    const body = JSON.stringify({ ...registration, redirect_uris: [redirect] });
    const init = { method: "POST", headers: { "Content-Type": "application/json" }, body };
    const registered = await server.register(new Request(`${issuer}/oauth/register`, init), body);
    const { client_id: clientId } = (await registered.json()) as { client_id: string };
    const of = { clientId, resource, challenge: pkce().challenge, redirect_uri: redirect };
    return send(authorizeUrl(issuer, { ...of, ...change }).slice(issuer.length));
  };

  it("leads to no site by itself: a person sees where the link goes", async () => {
    const evil = "https://evil.test/callback";
    for (const change of [
      { response_type: "x" },
      { scope: "all" },
      { resource: "https://x.test" },
    ]) {
      const answer = await opened(evil, change);
      const text = await answer.text();
      expect([answer.status, answer.headers.get("Location")]).toEqual([400, null]);
      expect(text).toContain("Return to evil.test");
      expect(answer.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
    }
  });

  it("goes back to a program on the person's own computer", async () => {
    const answer = await opened(redirectUri, { scope: "all" });
    expect(answer.headers.get("Location")).toContain(`${redirectUri}?error=invalid_scope`);
  });
});
