/** With a healthy second provider, calls leave a broken one: seen from outside, twenty times in a row. */
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { adminOf, asking, callOnce, createTenant, type Answered } from "../fakes/caller.ts";
import {
  startFaultyProvider,
  type FaultyMode,
  type FaultyProvider,
} from "../fakes/faulty-provider.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { hostUnderTest } from "../fakes/router.ts";
import { freePort } from "../fakes/sqld.ts";
import { isSecondHost, onOneHost } from "../setup/on-both-hosts.ts";
import { patient } from "../setup/patience.ts";

let router: SharedRouter;
let broken: FaultyProvider;
let healthy: FaultyProvider;

beforeAll(async () => {
  [broken, healthy] = await Promise.all([
    startFaultyProvider({ slowMs: 600_000 }),
    startFaultyProvider(),
  ]);
  router = await borrowRouter();
});
afterAll(async () => {
  await Promise.all([broken?.stop(), healthy?.stop()]);
});
beforeEach(() => {
  for (const provider of [broken, healthy]) {
    provider.setMode("fine");
    provider.clear();
  }
});

/** Every model of OpenAI at the first URL; those of Anthropic at the second, if there is one. */
async function tenant(slug: string, urls: [string, string?], policy: unknown = {}) {
  const [first, second] = urls;
  const made = await createTenant(router, slug, { provider: "openai", baseUrl: first, policy });
  const admin = adminOf(router, router.adminToken);
  if (second !== undefined)
    await admin("POST", `/tenants/${slug}/credentials`, {
      provider: "anthropic",
      name: "anthropic",
      apiKey: "k",
      baseUrl: second,
    });
  return { ...made, admin, path: `/tenants/${slug}` };
}

interface DecisionMeta {
  provider: string;
  model: string;
  attempts: number;
  requestId: string;
}
const decisionOf = (answer: Answered): DecisionMeta => {
  expect(answer.get("error")).toBeUndefined();
  return answer.get("result._meta.sampling-router/decision") as DecisionMeta;
};

/** A hint that only the first provider's models match, so that leaving the provider means leaving the hint. */
const hinting = (name: string) => asking("hello", { modelPreferences: { hints: [{ name }] } });

const route = async (key: string, params: unknown): Promise<Record<string, unknown>> => {
  const answer = await fetch(`${router.url}/v1/route`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify(params),
  });
  return (await answer.json()) as Record<string, unknown>;
};

/** More than the failures after which a circuit opens, and the calls between two of its trials. */
const times = 20;

async function attemptsOf(key: string, params = hinting("gpt")): Promise<number[]> {
  const attempts: number[] = [];
  for (let count = 0; count < times; count += 1) {
    const answered = decisionOf(await callOnce(router, key, params));
    expect(answered.provider).toBe("anthropic");
    attempts.push(answered.attempts);
  }
  return attempts;
}

describe("beside a healthy provider, twenty calls in a row are answered", () => {
  const ofFetch: readonly FaultyMode[] = ["reset", "cut", "silent"];
  const ofAnswers: readonly FaultyMode[] = [
    "unauthorized",
    "broken",
    "garbage",
    "misshapen",
    "unrelated",
    "empty",
  ];
  it.each(isSecondHost ? ofFetch : [...ofFetch, ...ofAnswers])(
    "%s: at the latest with the second attempt",
    { timeout: patient(90_000) },
    async (mode) => {
      const { key } = await tenant(`left-${mode}`, [
        broken.url("openai"),
        healthy.url("anthropic"),
      ]);
      broken.setMode(mode);
      const attempts = await attemptsOf(key);
      expect(attempts[0]).toBe(2);
      expect(Math.max(...attempts)).toBe(2);
    },
  );

  it("a refused connection: at the latest with the second attempt, for nothing", async () => {
    const refused = `http://127.0.0.1:${await freePort()}/v1`;
    const { key, admin, path } = await tenant("left-refused", [refused, healthy.url("anthropic")]);
    const attempts = await attemptsOf(key);
    expect(Math.max(...attempts)).toBe(2);
    const records = await admin("GET", `${path}/requests?limit=100`);
    for (const record of records.get("data") as { attempts: Record<string, unknown>[] }[])
      for (const { provider, billed } of record.attempts)
        expect(billed).toBe(provider === "anthropic" ? "yes" : "no");
  }, 90_000);

  onOneHost(() => {
    it.each(["unknown-model", "rate-limited"] as const)(
      "%s: at the latest with the third attempt",
      { timeout: patient(90_000) },
      async (mode) => {
        const { key } = await tenant(`left-${mode}`, [
          broken.url("openai"),
          healthy.url("anthropic"),
        ]);
        broken.setMode(mode);
        expect(Math.max(...(await attemptsOf(key)))).toBeLessThanOrEqual(3);
      },
    );
  });

  it("a provider that never answers: within the deadline, and without it from its second failure on", async () => {
    const deadlineMs = 3_000;
    const { key } = await tenant("left-hanging", [broken.url("openai"), healthy.url("anthropic")], {
      deadlineMs,
    });
    broken.setMode("slow");
    expect(Math.max(...(await attemptsOf(key)))).toBe(2);
    expect(broken.requests()).toHaveLength(2);
  }, 90_000);
});

onOneHost(() => {
  describe("the only provider", () => {
    it("is asked for up to four of its models, however often it failed, and answers once it can", async () => {
      const { key } = await tenant("alone", [broken.url("openai")]);
      broken.setMode("broken");
      for (let count = 0; count < 10; count += 1) {
        const answer = await callOnce(router, key, asking("hello"));
        expect(answer.get("error.data.reason")).toBe("provider_failed");
        expect(answer.get("error.data.attempts")).toHaveLength(4);
      }
      broken.setMode("fine");
      expect(decisionOf(await callOnce(router, key, asking("hello"))).attempts).toBe(1);
    });
  });
});

describe("a hint for a provider that can't be reached", () => {
  it("is left after two attempts there, and the record says where the call went, and why", async () => {
    const refused = `http://127.0.0.1:${await freePort()}/v1`;
    const { key, admin, path } = await tenant("unreachable", [refused, healthy.url("anthropic")]);
    const answered = decisionOf(await callOnce(router, key, hinting("gpt")));
    expect(answered).toMatchObject({ provider: "anthropic", attempts: 2 });
    const record = await admin("GET", `${path}/requests/${answered.requestId}`);
    expect(record.get("attempts")).toMatchObject([
      { provider: "openai", fault: "network", reach: "endpoint", billed: "no" },
      { provider: "anthropic", model: answered.model, fault: null },
    ]);
    const candidates = record.get("decision.candidates") as Record<string, unknown>[];
    expect(candidates.find(({ model }) => model === answered.model)).toMatchObject({
      viaFailover: true,
    });
    expect(candidates[0]).not.toHaveProperty("viaFailover");
    expect(record.get("decision.failover")).toContainEqual({
      provider: "anthropic",
      model: answered.model,
      after: ["credential", "endpoint", "request"],
    });
  });

  onOneHost(() => {
    it("shows in the dry run where each kind of fault would lead", async () => {
      const { key } = await tenant("dry", [broken.url("openai"), healthy.url("anthropic")]);
      const decision = await route(key, hinting("gpt"));
      const [first, ...rest] = decision["failover"] as { provider: string; after: string[] }[];
      expect(first).toMatchObject({ provider: "openai", after: [] });
      expect(rest.find(({ after }) => after.includes("model"))?.provider).toBe("openai");
      expect(rest.find(({ after }) => after.includes("endpoint"))?.provider).toBe("anthropic");
    });
  });
});

describe("a request that never left", () => {
  let plain: Server;
  /** takes connections, and says nothing */
  let silent: Server;
  const silenced = new Set<Socket>();
  beforeAll(async () => {
    silent = createServer((socket) => void silenced.add(socket.on("error", () => {})));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    plain = createServer((socket) => {
      socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
      socket.on("error", () => {});
    });
    await new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => {
    plain.close();
    for (const socket of silenced) socket.destroy();
    silent.close();
  });

  interface Charged {
    billed: string[];
    /** micro-USD */
    cost: number[];
    /** as the refusals tell them */
    networks: object[];
  }
  const chargedFor = async (
    slug: string,
    baseUrl: string,
    { deadlineMs = 5_000 } = {},
  ): Promise<Charged> => {
    const networks: { network?: object }[] = [];
    const { key, admin, path } = await tenant(slug, [baseUrl], {
      limits: { usdPerDay: 1 },
      deadlineMs,
    });
    for (let count = 0; count < 3; count += 1) {
      const answer = await callOnce(router, key, asking("hello", { maxTokens: 4_000 }));
      expect(answer.get("error.data.reason")).toMatch(/^provider_(failed|timeout)$/);
      networks.push(...(answer.get("error.data.attempts") as { network?: object }[]));
    }
    const records = await admin("GET", `${path}/requests`);
    const usage = await admin("GET", `${path}/usage`);
    const kept = records.get("data") as { attempts: { billed: string }[] }[];
    const rows = usage.get("data") as { costUsd: number }[];
    return {
      billed: kept.flatMap(({ attempts }) => attempts.map(({ billed }) => billed)),
      cost: rows.map(({ costUsd }) => costUsd),
      networks: networks.flatMap(({ network }) => network ?? []),
    };
  };

  const unreached: Record<string, () => Promise<string>> = {
    "a refused connection": async () => `http://127.0.0.1:${await freePort()}/v1`,
    "an unknown host": async () => "http://no-such-host.invalid/v1",
    "a failed TLS handshake": async () =>
      `https://127.0.0.1:${(plain.address() as AddressInfo).port}/v1`,
    "an unanswered TLS handshake": async () =>
      `https://127.0.0.1:${(silent.address() as AddressInfo).port}/v1`,
    "a port that fetch refuses": async () => "http://127.0.0.1:6000/v1",
  };
  const causes: Record<string, string> = {
    "a refused connection": "refused",
    "an unknown host": "dns",
    "a failed TLS handshake": "tls_handshake",
    "an unanswered TLS handshake": "connect_timeout",
    "a port that fetch refuses": "not_allowed",
  };
  it.each(Object.keys(unreached))("%s costs nothing", async (what) => {
    const url = (await unreached[what]?.()) ?? "";
    const deadlineMs = what.includes("unanswered") ? 1_000 : 5_000;
    const slug = `free-${what.replaceAll(/\W+/g, "-").toLowerCase()}`;
    const { billed, cost, networks } = await chargedFor(slug, url, { deadlineMs });
    const { hostname, port, protocol } = new URL(url);
    const usual = protocol === "https:" ? 443 : 80;
    expect(networks.length).toBeGreaterThan(0);
    for (const network of networks)
      expect(network).toMatchObject({ host: hostname, port: port === "" ? usual : Number(port) });
    // The Workers runtime does not say why a connection failed.
    if (hostUnderTest === "node") expect(networks[0]).toMatchObject({ cause: causes[what] });
    expect(billed.length).toBeGreaterThan(0);
    expect(new Set(billed)).toEqual(new Set(["no"]));
    expect(cost.every((its) => its === 0)).toBe(true);
  });

  it.each([101, 204, 301, 302, 304, 307])("a status %i costs nothing either", async (status) => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () =>
        socket.end(
          `HTTP/1.1 ${status} Status\r\n${status === 101 ? "Upgrade: x\r\nConnection: Upgrade\r\n" : "Connection: close\r\n"}Location: /elsewhere\r\n\r\n`,
        ),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const { billed, cost } = await chargedFor(`free-${status}`, `http://127.0.0.1:${port}/v1`);
    server.close();
    expect(new Set(billed)).toEqual(new Set(["no"]));
    expect(cost.every((its) => its === 0)).toBe(true);
  });

  it("a connection that breaks once the request was read is charged as reserved", async () => {
    const { key, admin, path } = await tenant("not-free", [broken.url("openai")]);
    broken.setMode("reset");
    await callOnce(router, key, asking("hello"));
    const records = await admin("GET", `${path}/requests`);
    expect(records.get("data.0.attempts.0")).toMatchObject({ fault: "network", billed: "maybe" });
  });
});
