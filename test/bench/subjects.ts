/** What is measured, started. */
import type { Ending } from "../../src/start/ending.ts";
import { pidsOf } from "../../src/start/processes.ts";
import { runtimeProgram } from "../../src/start/runtime-program.ts";
import { startRouter, temporaryStateDir } from "../fakes/router.ts";
import { freePort, startSqld } from "../fakes/sqld.ts";
import { completionCall, samplingCall } from "./calls.ts";
import { startChild } from "./child.ts";
import type { Target } from "./load.ts";
import type { SubjectName } from "./options.ts";
import { createTenant } from "./tenant.ts";
import type { HostedCapabilities } from "./workerd-process.ts";

export const adminToken = "sra_bench_admin_token_on_loopback";

/** No scheduled job in the middle of a measurement; the one at the start remains. */
export const routerSettings = { ADMIN_TOKEN: adminToken, SCHEDULE_SECONDS: "86400" };

/** Starts a Worker of the bench's own in workerd. */
export async function startWorker(
  about: Omit<HostedCapabilities, "port" | "stateDir">,
  ending: Ending,
): Promise<{ url: string; pids: number[] }> {
  const place: HostedCapabilities = {
    ...about,
    port: await freePort(),
    stateDir: temporaryStateDir(),
  };
  const { url } = await startChild<{ url: string }>("workerd-process.ts", place, ending);
  return { url, pids: pidsOf(runtimeProgram(place.stateDir)) };
}

async function startSampling(
  about: { env: Record<string, string>; database: readonly number[] },
  providerUrl: string,
  ending: Ending,
): Promise<Target> {
  const router = await startRouter({ env: { ...routerSettings, ...about.env } });
  ending.add(async () => void (await router.stop()));
  const tenant = await createTenant({ url: router.url, adminToken, providerUrl });
  return {
    url: router.url,
    call: samplingCall(await tenant.newKey()),
    pids: { server: router.runtimePids(), database: about.database },
  };
}

async function startSubject(
  name: SubjectName,
  provider: { url: string; pid: number },
  ending: Ending,
): Promise<Target> {
  switch (name) {
    case "provider":
      return {
        url: provider.url,
        call: completionCall("/chat/completions"),
        pids: { server: [provider.pid], database: [] },
      };
    case "pass-through": {
      const entry = "test/bench/workers/pass-through.ts";
      const values = { PROVIDER_URL: provider.url };
      const { url, pids } = await startWorker({ entry, embedded: false, values }, ending);
      return {
        url,
        call: completionCall("/v1/chat/completions"),
        pids: { server: pids, database: [] },
      };
    }
    case "router on D1":
      return startSampling({ env: {}, database: [] }, provider.url, ending);
    default: {
      const sqld = await startSqld();
      ending.add(sqld.stop);
      const env = { DATABASE_URL: sqld.url };
      return startSampling({ env, database: [sqld.pid()] }, provider.url, ending);
    }
  }
}

/** One after the other: on a small machine several starts at once only get in each other's way. */
export async function startSubjects(
  names: readonly SubjectName[],
  ending: Ending,
  say: (line: string) => void,
): Promise<Map<SubjectName, Target>> {
  const provider = await startChild<{ url: string }>("provider-process.ts", {}, ending);
  const targets = new Map<SubjectName, Target>();
  for (const name of names) {
    say(`starting: ${name}`);
    targets.set(name, await startSubject(name, provider, ending));
  }
  return targets;
}
