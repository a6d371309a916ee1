/**
 * Database round trips of single requests, counted where they happen: on the wire to the libSQL
 * server, and at the Durable Objects. The provider's arrival splits each request's in two.
 */
import { Agent } from "node:http";
import { createEnding, type Ending } from "../../src/start/ending.ts";
import { startRouter } from "../fakes/router.ts";
import { startSqld } from "../fakes/sqld.ts";
import { samplingCall } from "./calls.ts";
import { exchange } from "./load.ts";
import { startProvider } from "./provider.ts";
import { startRelay } from "./relay.ts";
import { adminToken, routerSettings, startWorker } from "./subjects.ts";
import { createTenant } from "./tenant.ts";

export type Event = "database" | "provider";

export interface Trips {
  before: number;
  after: number;
}

export interface Counted {
  database: string;
  /** how they were counted */
  how: string;
  /** the first request of a key, one for each key */
  cold: Trips[];
  /** the requests that follow it */
  warm: Trips[];
  /** the first after a change of the tenant, whose old version is still remembered */
  changed: Trips[];
}

interface Observed {
  url: string;
  providerUrl: string;
  /** All round trips since the last call of this function. */
  take(): Promise<Event[]>;
}

const keys = 4;
const warmPerKey = 5;
/** What runs after an answer has been seen by then: a settlement in the background, a job's start. */
const quietMs = 60;
const startJobsMs = 1_500;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function tripsOf(events: readonly Event[]): Trips {
  const at = events.indexOf("provider");
  if (at !== events.lastIndexOf("provider") || at === -1)
    throw new Error(`the provider was not called once: ${events.join(", ")}`);
  return { before: at, after: events.length - at - 1 };
}

async function count({
  url,
  providerUrl,
  take,
}: Observed): Promise<Omit<Counted, "database" | "how">> {
  const tenant = await createTenant({ url, adminToken, providerUrl });
  const cold: Trips[] = [];
  const warm: Trips[] = [];
  const changed: Trips[] = [];
  const agent = new Agent({ keepAlive: true });
  let id = 0;
  for (let at = 0; at < keys; at += 1) {
    const call = samplingCall(await tenant.newKey());
    const ask = async (trips: Trips[]): Promise<void> => {
      id += 1;
      const asked = { id, nonce: `nonce-trips-${id}` };
      await pause(quietMs);
      await take();
      call.check(asked, await exchange({ url, call }, call.body(asked), agent));
      await pause(quietMs);
      trips.push(tripsOf(await take()));
    };
    await ask(cold);
    for (let sent = 0; sent < warmPerKey; sent += 1) await ask(warm);
    await tenant.touch();
    await ask(changed);
  }
  agent.destroy();
  return { cold, warm, changed };
}

/** The router as it is started everywhere, a relay in front of its database. */
async function countLibsql(ending: Ending): Promise<Counted> {
  let events: Event[] = [];
  const provider = await startProvider(() => events.push("provider"));
  ending.add(() => {
    provider.server.closeAllConnections();
    provider.server.close();
  });
  const sqld = await startSqld();
  ending.add(sqld.stop);
  const relay = await startRelay(sqld.url, () => events.push("database"));
  ending.add(relay.stop);
  const router = await startRouter({
    host: "workerd",
    env: { ...routerSettings, DATABASE_URL: relay.url },
  });
  ending.add(async () => void (await router.stop()));
  await pause(startJobsMs);
  const take = async (): Promise<Event[]> => {
    const taken = events;
    events = [];
    return taken;
  };
  const counted = await count({ url: router.url, providerUrl: provider.url, take });
  return {
    database: "libSQL",
    how: "HTTP exchanges seen by a relay before the server",
    ...counted,
  };
}

/** The router's own entry behind one that counts: Durable Objects can't be seen from outside the runtime. */
async function countObjects(ending: Ending): Promise<Counted> {
  const provider = await startProvider();
  ending.add(() => {
    provider.server.closeAllConnections();
    provider.server.close();
  });
  const { url } = await startWorker(
    {
      entry: "test/bench/workers/counted-router.ts",
      embedded: true,
      values: {
        ADMIN_TOKEN: adminToken,
        MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
        ALLOW_PRIVATE_UPSTREAMS: "true",
      },
    },
    ending,
  );
  const take = async (): Promise<Event[]> =>
    (await (await fetch(`${url}/bench/events`)).json()) as Event[];
  const counted = await count({ url, providerUrl: provider.url, take });
  return { database: "objects", how: "calls of objects, counted inside the Worker", ...counted };
}

export async function countRoundTrips(
  outer: Ending,
  say: (line: string) => void,
): Promise<Counted[]> {
  const all: Counted[] = [];
  for (const [name, run] of [
    ["objects", countObjects],
    ["libSQL", countLibsql],
  ] as const) {
    say(`counting round trips: ${name}`);
    const ending = createEnding();
    outer.add(ending.run);
    all.push(await run(ending));
    await ending.run();
  }
  return all;
}

const budget = { cold: { before: 2, after: 1 }, warm: { before: 1, after: 1 } };

/** Sentences on what went beyond the budget. */
export const beyondBudget = (counted: readonly Counted[]): string[] =>
  counted.flatMap((each) =>
    (["cold", "warm"] as const).flatMap((state) => {
      const over = each[state].find(
        ({ before, after }) => before > budget[state].before || after > budget[state].after,
      );
      if (over === undefined) return [];
      return [
        `${each.database}, ${state}: ${over.before} before the provider, ${over.after} after`,
      ];
    }),
  );
