/** Two hundred calls that wait for clients who never return: what V8 holds after a collection is flat, and everything is released. */
import { createClient } from "@libsql/client";
import { createEnding, type Ending } from "../../src/start/ending.ts";
import { createTenant } from "../fakes/caller.ts";
import { startLegacyServer } from "../fakes/era-servers.ts";
import { modernMeta, proxyKey, register, sendModern, until } from "../fakes/proxied.ts";
import { startRouter, type Router } from "../fakes/router.ts";
import { messagesOf } from "../fakes/sse-messages.ts";
import { openSessions } from "../bench/inspector.ts";
import { freePort } from "../fakes/sqld.ts";
import { wait, type Say } from "./world.ts";

const [keys, callsPerKey] = [10, 20];
/** Long enough for all calls of a round to begin, also on a busy machine. */
const parkedSeconds = 15;
const patienceMs = 120_000;
const retryMs = 500;
/** ms after which both ends have closed connections that nothing uses. */
const idleMs = 8_000;
/** Rounds in which V8 compiles, and the router's caches fill. */
const warmUp = 4;
/** KiB a round that may remain, of about 1,000 KiB that the calls hold while they wait. */
const maxGrowthKib = 30;

/** @returns KiB that stay in use on the heap and outside of it after a collection, in all threads of JavaScript */
async function createHeapReader(port: number, ending: Ending): Promise<() => Promise<number>> {
  const threads = await openSessions(port, ending);
  return async () => {
    let bytes = 0;
    for (const thread of threads) {
      // Finalizers release more, which the second one collects.
      for (let turn = 0; turn < 2; turn += 1) await thread.send("HeapProfiler.collectGarbage");
      const usage = (await thread.send("Runtime.getHeapUsage")) as Record<string, number>;
      for (const part of ["usedSize", "embedderHeapUsedSize", "backingStorageSize"])
        bytes += usage[part] ?? 0;
    }
    return bytes / 1_024;
  };
}

/** Rows that the router's own database has. */
const createSessionCount = (router: Router) => async (): Promise<number> => {
  let count = 0;
  for (const path of router.databaseFiles().filter((name) => name.endsWith(".sqlite"))) {
    const client = createClient({ url: `file:${path}` });
    const { rows } = await client.execute("select count(*) as n from sessions");
    client.close();
    count += Number(rows[0]?.["n"]);
  }
  return count;
};

/** Slope of the line of least squares. */
function growthOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  let [above, below] = [0, 0];
  for (const [at, value] of values.entries()) {
    above += (at - middle) * value;
    below += (at - middle) ** 2;
  }
  return above / below;
}

const kib = (value: number): string => `${value.toFixed(0)} KiB`;

export async function soakParked(rounds: number, say: Say): Promise<string[]> {
  const ending = createEnding();
  try {
    const server = await startLegacyServer();
    ending.add(() => server.stop());
    const env = { PARKED_SECONDS: String(parkedSeconds) };
    const port = await freePort();
    const command = [
      process.execPath,
      `--inspect=127.0.0.1:${port}`,
      "src/start/start.js",
    ] as const;
    const router = await startRouter({ host: "node", env, command });
    ending.add(() => router.stop());
    const heapKib = await createHeapReader(port, ending);
    const sessionsLeft = createSessionCount(router);
    const tenant = "parked";
    await createTenant(router, tenant, { provider: "openai", baseUrl: "http://127.0.0.1:9" });
    const about = { slug: "s", url: server.url, bridge: "always", parking: true };
    const url = await register(router, tenant, about);
    const tokens = await Promise.all(Array.from({ length: keys }, () => proxyKey(router, tenant)));
    const ask = async (token: string): Promise<unknown> => {
      const params = {
        name: "form",
        arguments: { q: "x".repeat(1_000) },
        _meta: modernMeta({ elicitation: {} }),
      };
      const response = await sendModern(url, token, { method: "tools/call", params });
      const { result, error } = (await messagesOf(response).next()).value ?? {};
      const data = error?.["data"] as { retryable?: boolean } | undefined;
      // On a busy machine, the database may shed some of so many calls.
      if (data?.retryable !== true) return result?.["resultType"] ?? JSON.stringify(error);
      await wait(retryMs);
      return ask(token);
    };
    const faults: string[] = [];
    const after: number[] = [];
    say(`before: ${kib(await heapKib())}`);
    for (let round = 1; round <= rounds; round += 1) {
      server.heard.length = 0;
      const waiting = tokens.flatMap((token) =>
        Array.from({ length: callsPerKey }, () => ask(token)),
      );
      const types = await Promise.all(waiting);
      const asked = types.filter((type) => type === "input_required");
      const other = types.find((type) => type !== "input_required");
      if (other !== undefined) faults.push(`only ${asked.length} calls waited: ${String(other)}`);
      const open = server.sessions();
      const during = await heapKib();
      await until(
        async () => server.sessions() === 0 && (await sessionsLeft()) === 0,
        patienceMs,
      ).catch(async () =>
        faults.push(
          `${server.sessions()} sessions stay at the server, ${await sessionsLeft()} at the router`,
        ),
      );
      await wait(idleMs);
      const released = await heapKib();
      after.push(released);
      const each = (during - released) / Math.max(1, open);
      say(
        `round ${round}: ${kib(during)} with ${open} sessions, then ${kib(released)}: ${each.toFixed(1)} KiB a parked call`,
      );
    }
    const grown = growthOf(after.slice(warmUp));
    say(`growth: ${grown.toFixed(1)} KiB a round after the first ${warmUp}`);
    if (!(grown <= maxGrowthKib)) faults.push("memory grew");
    return faults;
  } finally {
    await ending.run();
  }
}
