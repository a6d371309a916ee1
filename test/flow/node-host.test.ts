/** What the server on one's own machine does as a process: how it begins, listens, ends, and breaks. */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adminOf, asking, at, callOnce, createTenant, until } from "../fakes/caller.ts";
import { outcomesIn } from "../fakes/records-in.ts";
import { startHoldingProvider, type HoldingProvider } from "../fakes/holding-provider.ts";
import { linesOf } from "../fakes/log-lines.ts";
import { modernMeta, sendModern } from "../fakes/proxied.ts";
import {
  spawnLauncher,
  startRouter,
  temporaryStateDir,
  type Router,
  type RouterOptions,
} from "../fakes/router.ts";
import { patient } from "../setup/patience.ts";

const timeout = patient(60_000);
const model = { id: "one", inputUsdPerMTok: 1, outputUsdPerMTok: 1 };

let provider: HoldingProvider;
const started: Router[] = [];
beforeAll(async () => {
  provider = await startHoldingProvider();
});
afterAll(async () => {
  await Promise.all(started.map((router) => router.stop()));
  await provider.stop();
});

async function start(options: RouterOptions = {}): Promise<Router> {
  const router = await startRouter({ host: "node", ...options });
  started.push(router);
  return router;
}

/** So many calls of one tenant, which wait for their provider. */
async function waitingCalls(router: Router, count: number, slug = "draining") {
  const { key } = await createTenant(router, slug, {
    provider: "compatible",
    baseUrl: provider.url,
    models: [model],
  });
  const calls = Array.from({ length: count }, () =>
    callOnce(router, key, asking("hello")).catch(() => null),
  );
  await until(() => (provider.waiting() === count ? true : undefined));
  return calls;
}

describe("the end", () => {
  it.each(["SIGTERM", "SIGINT"] as const)(
    "after %s answers and settles every call that is under way, and accepts no other",
    { timeout },
    async (signal) => {
      const stateDir = temporaryStateDir();
      const router = await start({ stateDir });
      const calls = await waitingCalls(router, 20);
      process.kill(router.pid, signal);
      await until(() => (router.output().includes("Ending.") ? true : undefined));
      const refuses = (): Promise<boolean> =>
        fetch(`${router.url}/health`).then(
          () => false,
          () => true,
        );
      await expect.poll(refuses, { timeout: patient(5_000) }).toBe(true);
      provider.answerAll();
      const answers = await Promise.all(calls);
      expect(answers.map((answer) => answer?.status)).toEqual(Array(20).fill(200));
      expect(answers.every((answer) => at(answer?.body, "result.model") !== undefined)).toBe(true);
      expect(await router.ended).toBe(0);
      expect(linesOf(router, "cut")).toEqual([]);
      expect(outcomesIn(stateDir)).toEqual(Array(20).fill("succeeded"));
    },
  );
});

describe("a process", () => {
  /** Throws, or rejects, what it is asked to, outside of every request. */
  const faulty = `--import=data:text/javascript,${encodeURIComponent(
    `process.on("SIGUSR2", () => setTimeout(() => { throw new RangeError(["CAN", "ARY"].join("")); }));
     process.on("SIGWINCH", () => void Promise.reject(new EvalError(["CAN", "ARY"].join(""))));`,
  )}`;
  let router: Router;
  beforeAll(async () => {
    const env = { NODE_OPTIONS: faulty, LOG_FORMAT: "json" };
    router = await start({ env, faults: "expected" });
  }, timeout);

  it("logs JSON where LOG_FORMAT says so", { timeout }, async () => {
    await callOnce(router, router.demoKey, asking("hello"));
    const line = /^\{"event":"sampling",.*\}$/m;
    await until(() => (line.test(router.output()) ? true : undefined));
  });

  // On the Worker the runtime says so only when it writes, and such an answer is written at its end.
  it(
    "ends the provider's call of a caller that takes JSON alone and leaves, and has cancelled",
    { timeout },
    async () => {
      const about = { provider: "compatible", baseUrl: provider.url, models: [model] };
      const { key } = await createTenant(router, "leaving", about);
      const leaving = new AbortController();
      const answer = sendModern(`${router.url}/v1/sampling`, key, {
        method: "sampling/createMessage",
        params: { ...asking("hello"), _meta: modernMeta({ sampling: {} }) },
        headers: { Accept: "application/json" },
        signal: leaving.signal,
      }).catch(() => null);
      await until(() => (provider.waiting() === 1 ? true : undefined));
      const before = provider.left();
      leaving.abort();
      expect(await answer).toBeNull();
      // In the README: five seconds; the rest is for a busy machine.
      await expect.poll(() => provider.left() - before, { timeout: patient(8_000) }).toBe(1);
      const records = () => adminOf(router, router.adminToken)("GET", "/tenants/leaving/requests");
      await expect
        .poll(async () => (await records()).get("data.0.outcome"), { timeout: patient(8_000) })
        .toBe("cancelled");
    },
  );

  it(
    "goes on after a rejection that nobody heard, and leaves a record of what was open",
    { timeout },
    async () => {
      provider.answerAll();
      const calls = await waitingCalls(router, 1, "rejecting");
      process.kill(router.pid, "SIGWINCH");
      const faults = () => linesOf(router, "fault");
      await expect.poll(() => faults().length, { timeout: patient(8_000) }).toBe(1);
      expect(faults()[0]).toMatchObject({
        fault: "EvalError",
        ends: false,
        open: {
          requests: [
            { method: "POST", path: "/v1/sampling", requestId: expect.stringMatching(/^req_/) },
          ],
        },
      });
      provider.answerAll();
      expect((await Promise.all(calls)).map((answer) => answer?.status)).toEqual([200]);
      expect(router.output()).not.toContain("CANARY");
    },
  );

  it(
    "ends at a fault that nobody caught, and leaves a record of what was open",
    { timeout },
    async () => {
      provider.answerAll();
      const calls = await waitingCalls(router, 1);
      process.kill(router.pid, "SIGUSR2");
      expect(await router.ended).toBe(1);
      expect(await Promise.all(calls)).toEqual([null]);
      const fault = linesOf(router, "fault").at(-1);
      expect(fault).toMatchObject({
        fault: "RangeError",
        ends: true,
        open: {
          requests: [
            { method: "POST", path: "/v1/sampling", requestId: expect.stringMatching(/^req_/) },
          ],
        },
      });
      expect(router.output()).not.toContain("CANARY");
      provider.answerAll();
    },
  );
});

describe("a database thread that ends", () => {
  // A thread ends itself here: `terminate` may strike in the middle of a native call, and then it is the test that
  // breaks the process.
  const preloaded = (code: string): string =>
    `--import=data:text/javascript,${encodeURIComponent(code)}`;
  const endsWhenTold = preloaded(`
    import { BroadcastChannel } from "node:worker_threads";
    const channel = new BroadcastChannel("end");
    channel.onmessage = () => process.exit(3);
    channel.unref();`);
  /** Ends the first thread that the process started: the one that writes. */
  const ending = preloaded(`
    import threads from "node:worker_threads";
    let isFirst = true;
    threads.Worker = class extends threads.Worker {
      constructor(entry, options) {
        super(entry, isFirst ? { ...options, execArgv: [${JSON.stringify(endsWhenTold)}] } : options);
        isFirst = false;
      }
    };
    process.on("SIGUSR2", () => new threads.BroadcastChannel("end").postMessage(null));`);

  it(
    "ends the process with a record of what was open, and the next start goes on",
    { timeout },
    async () => {
      const stateDir = temporaryStateDir();
      const options = { stateDir, env: { NODE_OPTIONS: ending }, faults: "expected" } as const;
      const router = await start(options);
      const calls = await waitingCalls(router, 1);
      process.kill(router.pid, "SIGUSR2");
      expect(await router.ended).toBe(1);
      expect(await Promise.all(calls)).toEqual([null]);
      expect(linesOf(router, "fault")).toMatchObject([
        {
          fault: "DatabaseThreadEnded",
          open: { requests: [{ path: "/v1/sampling", requestId: expect.stringMatching(/^req_/) }] },
        },
      ]);
      provider.answerAll();
      const next = await start({ stateDir });
      const answer = await callOnce(next, next.demoKey, asking("hello"));
      expect(answer.get("result.role")).toBe("assistant");
    },
  );
});

describe("the start", () => {
  it("on an older Node is one line that says which is needed", { timeout }, async () => {
    const pretending = `--import=data:text/javascript,${encodeURIComponent(
      `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "22.14.9" } });`,
    )}`;
    const launched = await spawnLauncher({ host: "node", env: { NODE_OPTIONS: pretending } });
    expect(await launched.ended).toBe(1);
    expect(launched.output()).toMatch(
      /^sampling-router: Node 22\.15 or later is required, but this is 22\.14\.9.*\n$/,
    );
    expect(existsSync(join(launched.stateDir, "secrets.json"))).toBe(false);
  });

  it("on a machine without an embedded database is one line too", { timeout }, async () => {
    const pretending = `--import=data:text/javascript,${encodeURIComponent(
      `Object.defineProperty(process, "arch", { value: "riscv64" });`,
    )}`;
    const launched = await spawnLauncher({ host: "node", env: { NODE_OPTIONS: pretending } });
    expect(await launched.ended).toBe(1);
    expect(launched.output()).toMatch(/^sampling-router: \w+-riscv64 is not supported: .*\n$/);
  });

  it("at an address that is none of this machine's is one line", { timeout }, async () => {
    // TEST-NET-1: no machine has it.
    const launched = await spawnLauncher({ host: "node", env: { HOST: "192.0.2.1" } });
    expect(await launched.ended).toBe(1);
    expect(launched.output()).toContain(
      "sampling-router: HOST 192.0.2.1 isn't an address of this machine",
    );
  });
});

it("answers a check of HTTP/1.0 without a Host, and logs no fault for an address that nobody can read", async () => {
  const router = await start();
  const answerTo = (text: string) =>
    new Promise<string>((resolve, reject) => {
      let said = "";
      const socket = connect(Number(new URL(router.url).port), "127.0.0.1", () => socket.end(text));
      socket.on("data", (chunk: Buffer) => (said += chunk.toString()));
      socket.once("close", () => resolve(said));
      socket.once("error", reject);
    });
  expect(await answerTo("GET /health HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 /);
  const unreadable = await answerTo("GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n");
  expect(unreadable).toMatch(/^HTTP\/1\.1 400 /);
  expect(unreadable).toContain("is invalid");
  expect(router.output()).not.toContain('"event":"internal"');
});

describe("a process with a HOST and a LOG_FORMAT", () => {
  let router: Router;
  beforeAll(async () => {
    router = await start({ env: { HOST: "::1", LOG_FORMAT: "pretty" } });
  }, timeout);

  it("listens where HOST says, and prints an address that reaches it", { timeout }, async () => {
    const { port } = new URL(router.url);
    expect(router.output()).toContain(`http://[::1]:${port}/console`);
    const answer = await fetch(`http://[::1]:${port}/health`);
    expect(answer.status).toBe(200);
    const refused = createServer();
    refused.listen(Number(port), "127.0.0.1");
    await once(refused, "listening");
    refused.close();
  });

  it("logs for people where LOG_FORMAT says so", { timeout }, async () => {
    const url = `http://[::1]:${new URL(router.url).port}`;
    await callOnce({ url }, router.demoKey, asking("hello"));
    const line = /^\d\d:\d\d:\d\d {2}sampling {2}succeeded {2}demo\/\S+ {2}\d+ ms .* req_\S+$/m;
    await until(() => (line.test(router.output()) ? true : undefined));
  });
});
