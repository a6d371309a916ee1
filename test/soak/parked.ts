/** Two hundred calls that wait for clients who never return: memory is flat, and everything is released. */
import { createEnding } from "../../src/start/ending.ts";
import { createTenant } from "../fakes/caller.ts";
import { startLegacyServer } from "../fakes/era-servers.ts";
import { modernMeta, proxyKey, register, sendModern, until } from "../fakes/proxied.ts";
import { startRouter } from "../fakes/router.ts";
import { messagesOf } from "../fakes/sse-messages.ts";
import { memoryMibOf } from "../bench/memory.ts";
import { wait, type Say } from "./world.ts";

const [keys, callsPerKey] = [10, 20];
/** Long enough for all calls of a round to begin, also on a busy machine. */
const parkedSeconds = 15;
const patienceMs = 120_000;
const retryMs = 500;
/** From the middle to the end. In the first rounds, V8 compiles, and grows its heap to what a round needs. */
const growth = 1.1;

export async function soakParked(rounds: number, say: Say): Promise<string[]> {
  const ending = createEnding();
  try {
    const server = await startLegacyServer();
    ending.add(() => server.stop());
    const env = { PARKED_SECONDS: String(parkedSeconds) };
    const router = await startRouter({ host: "node", env });
    ending.add(() => router.stop());
    const memory = (): number => memoryMibOf(router.runtimePids()) ?? Number.NaN;
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
      const data = error?.["data"] as { limit?: string } | undefined;
      // A call of the round before counts until its session has ended at the router too.
      if (data?.limit?.endsWith("parkedCalls") !== true)
        return result?.["resultType"] ?? JSON.stringify(error);
      await wait(retryMs);
      return ask(token);
    };
    const faults: string[] = [];
    const after: number[] = [];
    say(`before: ${memory().toFixed(0)} MiB`);
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
      const during = memory();
      await until(() => server.sessions() === 0, patienceMs).catch(() =>
        faults.push(`${server.sessions()} sessions stay`),
      );
      after.push(memory());
      say(
        `round ${round}: ${during.toFixed(0)} MiB with ${asked.length} calls in ${open} sessions, then ${after.at(-1)?.toFixed(0)} MiB with ${server.sessions()}`,
      );
    }
    const [early = Number.NaN, late = Number.NaN] = [after[Math.floor(rounds / 2)], after.at(-1)];
    if (!(late <= early * growth)) faults.push("memory grew");
    return faults;
  } finally {
    await ending.run();
  }
}
