/** `npm start` as a person, a crash and a second machine meet it: real processes. */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { comesFromSignal } from "../../src/start/ending.ts";
import { parseSettings } from "../../src/start/settings.ts";
import { asking, callOnce } from "../fakes/caller.ts";
import { spawnLauncher, startRouter, temporaryStateDir, type Router } from "../fakes/router.ts";
import { startSqld, type Sqld } from "../fakes/sqld.ts";
import { patient } from "../setup/patience.ts";

const timeout = patient(60_000);
const run = promisify(execFile);

const started: Router[] = [];
async function start(options: Parameters<typeof startRouter>[0] = {}): Promise<Router> {
  const router = await startRouter(options);
  started.push(router);
  return router;
}
afterAll(async () => {
  await Promise.all(started.map((router) => router.stop()));
});

const curlLineOf = (output: string): string => /^curl .*$/m.exec(output)?.[0] ?? "";

/** The line as sh runs it; where there is no curl, the request that the line describes. */
async function paste(line: string): Promise<string> {
  try {
    return (await run("sh", ["-c", line])).stdout;
  } catch (cause) {
    // 127: sh's "not found".
    if (!(cause instanceof Error && "code" in cause && cause.code === 127)) throw cause;
    console.warn("There is no curl on this machine: the line is parsed and sent with fetch.");
    const headers = [...line.matchAll(/-H '([^:]+): ([^']*)'/g)].map(
      ([, name, value]): [string, string] => [name ?? "", value ?? ""],
    );
    const answer = await fetch(/ (http:\S+) /.exec(line)?.[1] ?? "", {
      method: "POST",
      headers,
      body: / -d '(.*)'$/.exec(line)?.[1] ?? "",
    });
    return answer.text();
  }
}

const sample = async (router: Router): Promise<unknown> =>
  (await callOnce(router, router.demoKey, asking("Say hello.", { maxTokens: 100 }))).body;

const sampled = { result: { role: "assistant", content: { type: "text" } } };

const admin = (router: Router, path: string, body?: object): Promise<Response> =>
  fetch(`${router.url}/admin/v1${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      authorization: `Bearer ${router.adminToken}`,
      "content-type": "application/json",
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** The single line that a failed start prints. */
async function faultOf(options: Parameters<typeof spawnLauncher>[0]): Promise<string> {
  const launched = await spawnLauncher(options);
  expect(await launched.ended).toBe(1);
  const lines = launched.output().trim().split("\n");
  expect(lines).toHaveLength(1);
  return lines[0] ?? "";
}

describe("a start, an end and another start", () => {
  const stateDir = temporaryStateDir();
  const given = "operators-own-token";
  let first: Router;
  let second: Router;
  let third: Router;

  it("prints a curl line that works as pasted, and what a person needs", { timeout }, async () => {
    first = await start({ stateDir });
    expect(first.output()).toContain(`${first.url}/console`);
    expect(first.adminToken.length).toBeGreaterThanOrEqual(32);
    expect(first.demoKey).toMatch(/^srk_/);
    const answer: unknown = JSON.parse(await paste(curlLineOf(first.output())));
    expect(answer).toMatchObject(sampled);
  });

  it("says what its key may do, and prints a line that gives a shell both keys", async () => {
    expect(first.output()).toContain("scopes sampling, models, proxy, tenant-admin");
    const line = /^export ROUTER_KEY=.*$/m.exec(first.output())?.[0] ?? "";
    const { stdout } = await run("sh", [
      "-c",
      `${line}; printf '%s %s' "$ROUTER_KEY" "$ADMIN_TOKEN"`,
    ]);
    expect(stdout).toBe(`${first.demoKey} ${first.adminToken}`);
  });

  it("prints a key that model endpoints accept", async () => {
    const answer = await fetch(`${first.url}/v1/chat/completions`, {
      method: "POST",
      headers: { Authorization: `Bearer ${first.demoKey}`, "Content-Type": "application/json" },
      body: JSON.stringify({ model: "auto", messages: [{ role: "user", content: "hello" }] }),
    });
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      { object: "chat.completion" },
    ]);
  });

  it("keeps its secrets for the owner alone", () => {
    expect(statSync(join(stateDir, "secrets.json")).mode & 0o077).toBe(0);
  });

  it("refuses a second launcher on the same state", { timeout }, async () => {
    const fault = await faultOf({ stateDir });
    expect(fault).toMatch(/^sampling-router: STATE_DIR .* already running, pid [0-9]+/);
    expect(fault).toContain(`pid ${first.pid},`);
  });

  it("ends with 0 on Ctrl-C and leaves no process", { timeout }, async () => {
    expect((await admin(first, "/tenants", { slug: "kept", name: "Kept" })).status).toBe(201);
    const [runtime] = first.runtimePids();
    expect(runtime).toBeDefined();
    // A terminal sends it to everybody in the foreground: the runtime dies under the launcher.
    if (runtime !== undefined) process.kill(runtime, "SIGINT");
    expect(await first.stop()).toBe(0);
    expect(first.runtimePids()).toEqual([]);
    expect(isAlive(first.pid)).toBe(false);
    expect(existsSync(join(stateDir, "runtime.json"))).toBe(false);
  });

  it("finds everything as it was", { timeout }, async () => {
    // A session that expires after a second is pruned by a run that comes later than it.
    second = await start({
      stateDir,
      env: { SCHEDULE_SECONDS: "0.5", SESSION_TTL_HOURS: "0.0003" },
    });
    expect(second.demoKey).toBe(first.demoKey);
    expect(second.adminToken).toBe(first.adminToken);
    expect((await admin(second, "/tenants/kept")).status).toBe(200);
    expect(await sample(second)).toMatchObject(sampled);
  });

  it("runs its scheduled jobs again and again", { timeout }, async () => {
    for (const times of [1, 2]) {
      const answer = await fetch(`${second.url}/v1/sampling`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${second.demoKey}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "initialize",
          params: {
            protocolVersion: "2025-11-25",
            capabilities: { sampling: {} },
            clientInfo: { name: "test", version: "1" },
          },
        }),
      });
      expect(answer.status).toBe(200);
      await expect
        .poll(() => second.output().match(/"job":"pruneSessions","changed":1/g)?.length, {
          timeout: patient(20_000),
        })
        .toBe(times);
    }
  });

  it("finds nothing in its way after a crash", { timeout }, async () => {
    await second.kill9();
    third = await start({
      command: ["npm", "start"],
      stateDir,
      // The same port too.
      env: { PORT: new URL(second.url).port, ADMIN_TOKEN: given },
    });
    expect(third.demoKey).toBe(first.demoKey);
    expect(await sample(third)).toMatchObject(sampled);
  });

  it("takes the operator's own token, which it does not keep", async () => {
    expect((await admin(third, "/tenants/kept")).status).toBe(200);
    expect(third.output()).not.toContain(given);
    expect(readFileSync(join(stateDir, "secrets.json"), "utf8")).toContain(first.adminToken);
  });

  it("leaves nothing when npm gets a signal to end", { timeout }, async () => {
    const holder = join(stateDir, "runtime.json");
    const { pid } = JSON.parse(readFileSync(holder, "utf8")) as { pid: number };
    expect(pid).not.toBe(third.pid);
    // npm passes it on to the shell between them, which passes it on to nobody.
    process.kill(third.pid, "SIGTERM");
    await expect.poll(() => isAlive(pid), { timeout: patient(10_000) }).toBe(false);
    await expect.poll(() => existsSync(holder), { timeout: patient(10_000) }).toBe(false);
  });
});

describe("Ctrl-C right after the start", () => {
  it("explains a fault that comes before the signal", async () => {
    let ending = false;
    const arrives = async (): Promise<void> => void (ending = true);
    expect(await comesFromSignal(() => ending, arrives)).toBe(true);
    expect(
      await comesFromSignal(
        () => false,
        async () => {},
      ),
    ).toBe(false);
  });

  it("ends quietly", { timeout }, async () => {
    const { child, stateDir, output, ended } = await spawnLauncher();
    await expect
      .poll(() => existsSync(join(stateDir, "runtime.json")), { timeout, interval: 2 })
      .toBe(true);
    child.kill("SIGINT");
    expect(await ended).toBe(0);
    expect(output().trim().split("\n").at(-1)).toBe("Ending.");
  });
});

describe("npm run replay", () => {
  const replay = (env: Record<string, string>): Promise<string> =>
    run(process.execPath, [join(import.meta.dirname, "../../src/cli/replay.ts"), "req_1"], {
      env: { PATH: process.env["PATH"] ?? "", PORT: "9", ...env },
    }).then(
      () => "it ended with 0",
      (cause: { stderr: string }) => cause.stderr,
    );

  it("without state says what to do, in one line, and makes nothing", async () => {
    const stateDir = join(temporaryStateDir(), "nothing");
    const said = await replay({ STATE_DIR: stateDir });
    expect(said).toMatch(/^sampling-router: no router was started .* run npm start first.*\n$/);
    expect(existsSync(stateDir)).toBe(false);
    expect(await replay({ STATE_DIR: stateDir, ADMIN_TOKEN: "given-by-the-operator" })).toMatch(
      /^sampling-router: no router answers on port 9; start it with npm start\n$/,
    );
  });

  it("with a state whose token was not kept asks for the token", async () => {
    const stateDir = temporaryStateDir();
    writeFileSync(join(stateDir, "secrets.json"), JSON.stringify({ credentials: {} }));
    expect(await replay({ STATE_DIR: stateDir })).toContain("ADMIN_TOKEN is not set");
  });
});

// What `parseSettings` says of a setting is that line; the test of ADMIN_TOKEN has a process print it.
describe("a setting that can't work is one line and no start", () => {
  it("an argument, since its settings are variables, and explains itself", async () => {
    const command = (argument: string) =>
      spawnLauncher({
        command: [process.execPath, "src/start/start.js", argument],
      });
    const surplus = await command("--port=9000");
    expect(await surplus.ended).toBe(1);
    expect(surplus.output()).toMatch(
      /^sampling-router: start takes no arguments, but got --port=9000/,
    );
    const help = await command("--help");
    expect(await help.ended).toBe(0);
    expect(help.output()).toMatch(/^usage: npm start\n/);
  });

  it("a busy port", { timeout }, async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? String(address?.port) : "";
    const fault = await faultOf({ env: { PORT: port } });
    server.close();
    expect(fault).toContain(`sampling-router: PORT ${port} is in use`);
    expect(fault).toContain("PORT=");
  });

  it("a state directory that can't be written", { timeout }, async () => {
    // Below a file: permission bits stop nobody who runs as root.
    const folder = mkdtempSync(join(tmpdir(), "router-file-"));
    const file = join(folder, "file");
    writeFileSync(file, "");
    const stateDir = join(file, "\u001b[2Jstate");
    expect(await faultOf({ stateDir })).toContain(
      `sampling-router: STATE_DIR ${stateDir.replace("\u001b", String.raw`\u{1b}`)} is not writable`,
    );
    rmSync(folder, { recursive: true });
  });

  it.each(["c2hvcnQ=", "not base64!", Buffer.alloc(33).toString("base64")])(
    "the malformed MASTER_KEY %s",
    (key) => {
      const error = "MASTER_KEY must be 32 bytes in base64";
      expect(parseSettings({ MASTER_KEY: key })).toEqual({ ok: false, error });
    },
  );

  it("an ADMIN_TOKEN that no header can carry", { timeout }, async () => {
    const fault = await faultOf({ env: { ADMIN_TOKEN: "an operator's own token" } });
    expect(fault).toMatch(/^sampling-router: ADMIN_TOKEN may only contain /);
    expect(fault).not.toContain("own token");
  });

  it("damaged secrets, which are not made anew", { timeout }, async () => {
    const stateDir = temporaryStateDir();
    writeFileSync(join(stateDir, "secrets.json"), `{"masterKey": "c2hv`);
    expect(await faultOf({ stateDir })).toMatch(/^sampling-router: STATE_DIR: .* is damaged/);
    expect(readFileSync(join(stateDir, "secrets.json"), "utf8")).toBe(`{"masterKey": "c2hv`);
  });

  it("a database that is no server", () => {
    const error = expect.stringMatching(/^DATABASE_URL must be /) as string;
    expect(parseSettings({ DATABASE_URL: "file:local.db" })).toEqual({ ok: false, error });
  });
});

describe("one libSQL server", () => {
  let sqld: Sqld | undefined;
  afterAll(async () => sqld?.stop());

  it("serves two processes that start at once", { timeout }, async () => {
    sqld = await startSqld();
    const env = { DATABASE_URL: sqld.url, MASTER_KEY: Buffer.alloc(32, 7).toString("base64") };
    const both = await Promise.all([start({ env }), start({ env })]);
    const [one, other] = both;
    for (const router of both) expect(await sample(router)).toMatchObject(sampled);
    // Each process has made a key of its own, and both keys are good at both.
    expect(await sample({ ...one, demoKey: other.demoKey })).toMatchObject(sampled);
    const listed = (await (await admin(one, "/tenants/demo/credentials")).json()) as {
      data: { provider: string }[];
    };
    expect(listed.data.map(({ provider }) => provider)).toEqual(["demo"]);
  });
});
