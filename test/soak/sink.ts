/**
 * `npm run soak -- sink`: the audit sink and its verifier against a store of others, `@20minutes/s3rver`, which checks
 * signatures. The package is fetched here and is no dependency, since its tree is large and nobody else needs it.
 */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createEnding } from "../../src/start/ending.ts";
import { adminOf, asking, callOnce, createTenant } from "../fakes/caller.ts";
import { startRouter } from "../fakes/router.ts";
import { freePort } from "../fakes/sqld.ts";
import type { Say } from "./world.ts";

const checkout = join(import.meta.dirname, "..", "..");
const run = promisify(execFile);
const store = "@20minutes/s3rver@5.0.0";
/** The store's own, which are no secret. */
const account = "S3RVER";

interface Store {
  start(): Promise<void>;
  stop(): Promise<void>;
}

async function givenStore(folder: string, port: number): Promise<Store> {
  writeFileSync(join(folder, "package.json"), '{"private":true}');
  await run("npm", ["install", "--no-audit", "--no-fund", "--silent", store], { cwd: folder });
  const objects = join(folder, "objects");
  mkdirSync(objects);
  let child: ChildProcess | null = null;
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
  return {
    async start() {
      child = spawn(
        // It needs Node 24.
        join(checkout, "node_modules", ".bin", "node"),
        [
          // Its package names a program that is not in it.
          "--eval",
          'const S3rver = require("@20minutes/s3rver"); new S3rver(JSON.parse(process.argv[1])).run();',
          JSON.stringify({
            address: "127.0.0.1",
            port,
            directory: objects,
            configureBuckets: [{ name: "audit" }],
          }),
        ],
        { cwd: folder, stdio: "ignore" },
      );
      while (!(await isUp())) await new Promise((resolve) => setTimeout(resolve, 100));
    },
    async stop() {
      if (child === null) return;
      const ended = new Promise((resolve) => child?.once("exit", resolve));
      child.kill("SIGKILL");
      await ended;
      child = null;
    },
  };
}

/** What the verifier says of the tenant's chain in the store. */
async function verify(
  place: string,
  { keys, port, secret }: { keys: string; port: number; secret: string },
): Promise<{ code: number; text: string }> {
  const env = {
    ...process.env,
    AWS_ACCESS_KEY_ID: account,
    AWS_SECRET_ACCESS_KEY: secret,
    AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
  };
  const args = ["src/cli/audit.ts", "verify", "--sink", place, "--key", keys];
  return run(process.execPath, args, { cwd: checkout, env }).then(
    ({ stdout }) => ({ code: 0, text: stdout }),
    (cause: { code: number; stdout: string; stderr: string }) => ({
      code: cause.code,
      text: cause.stdout + cause.stderr,
    }),
  );
}

export async function soakSink(say: Say): Promise<string[]> {
  const ending = createEnding();
  const faults: string[] = [];
  const check = (isSo: boolean, what: string): void => {
    say(`${isSo ? "held" : "FAILED"}: ${what}`);
    if (!isSo) faults.push(what);
  };
  try {
    const folder = mkdtempSync(join(tmpdir(), "sampling-router-sink-"));
    ending.add(async () => rmSync(folder, { recursive: true }));
    const port = await freePort();
    const objects = await givenStore(folder, port);
    await objects.start();
    ending.add(objects.stop);
    const router = await startRouter({
      env: {
        SCHEDULE_SECONDS: "1",
        AUDIT_SINK_URL: `http://127.0.0.1:${port}/audit/router`,
        AUDIT_SINK_ACCESS_KEY_ID: account,
        AUDIT_SINK_SECRET_ACCESS_KEY: account,
      },
    });
    ending.add(async () => void (await router.stop()));
    const { key } = await createTenant(router, "acme", { provider: "demo" });
    const admin = adminOf(router, router.adminToken);
    const tenantId = (await admin("GET", "/tenants/acme")).get("id") as string;
    const published = await fetch(`${router.url}/.well-known/sampling-router/audit-keys.json`);
    const keys = join(folder, "audit-keys.json");
    writeFileSync(keys, await published.text());
    const place = `s3://audit/router/${tenantId}`;
    const lastSeal = async () =>
      ((await admin("GET", "/tenants/acme/seals?limit=1")).get("data.0.number") as number) ?? 0;
    const verified = () => verify(place, { keys, port, secret: account });
    /** Makes calls until there is a seal more, and waits until the store has that seal. */
    const round = async (withinMs: number): Promise<string> => {
      const before = await lastSeal();
      while ((await lastSeal()) === before) {
        await callOnce(router, key, asking("hello"));
        await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
      const seal = await lastSeal();
      for (const until = Date.now() + withinMs; Date.now() < until;) {
        const { code, text } = await verified();
        const [, last = "0"] = /^Seals: (?:1 to )?(\d+)$/m.exec(text) ?? [];
        if (code === 0 && Number(last) >= seal) return "";
        await new Promise((resolve) => setTimeout(resolve, 2_000));
      }
      return (await verified()).text;
    };
    check(
      (await round(60_000)) === "",
      "the store takes the router's signatures, and the verifier's",
    );
    check((await round(60_000)) === "", "the next object follows the one before");
    const wrong = await verify(place, { keys, port, secret: "another secret" });
    check(
      wrong.code === 2 && wrong.text.includes("status 403"),
      "another secret than the store's is refused",
    );
    await objects.stop();
    while (!router.output().includes('"event":"sink"')) {
      await callOnce(router, key, asking("hello"));
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    await objects.start();
    check((await round(180_000)) === "", "the chain goes on where it was, once the store is back");
    return faults;
  } finally {
    await ending.run();
  }
}
