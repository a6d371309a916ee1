/** Two hundred streams through the proxy, open for long: every event arrives once, and memory is flat. */
import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createEnding } from "../../src/start/ending.ts";
import type { Ending } from "../../src/start/ending.ts";
import { proxyKey, openRaw, register } from "../fakes/proxied.ts";
import { adminOf } from "../fakes/caller.ts";
import { startRouter, type Router, type RouterHost } from "../fakes/router.ts";
import { startChild } from "../bench/child.ts";
import { startWorker } from "../bench/subjects.ts";
import { hostOf, wait, type DatabaseName, type Say } from "./world.ts";

const everyMs = 500;
/** In the README: a client that leaves is noticed within five seconds; the rest is for a busy machine. */
const leftWithinMs = 10_000;
const sampleMs = 15_000;
/** How much larger the last third may be than the one before it: a collector's noise. */
const growth = 1.1;
const filler = "x".repeat(1_000);

interface Message {
  id?: number | string;
  method?: string;
}

interface Stream {
  /** events that came, in order */
  seen: number;
  fault: string | null;
  ended: boolean;
}

/** Every GET, every `tools/call` and every `subscriptions/listen` is a stream that counts. */
async function startCounting(
  ending: Ending,
): Promise<{ url: string; sent: Map<ServerResponse, number> }> {
  /** events of every open stream */
  const sent = new Map<ServerResponse, number>();
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (part: Buffer) => (text += part.toString()));
    request.on("end", () => {
      const { id, method } = (text === "" ? {} : JSON.parse(text)) as Message;
      if (method === "initialize") {
        const serverInfo = { name: "counts", version: "1" };
        const result = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo };
        const session = { "Mcp-Session-Id": crypto.randomUUID() };
        response.writeHead(200, { "Content-Type": "application/json", ...session });
        return void response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
      }
      if (method === "server/discover") {
        const result = {
          resultType: "complete",
          supportedVersions: ["2026-07-28"],
          capabilities: {},
        };
        response.writeHead(200, { "Content-Type": "application/json" });
        return void response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
      }
      if (request.method === "DELETE" || (request.method === "POST" && id === undefined))
        return void response.writeHead(202).end();
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.flushHeaders();
      sent.set(response, 0);
      let count = 0;
      const timer = setInterval(() => {
        const params = { level: "info", data: { count: (count += 1), filler } };
        const notice = { jsonrpc: "2.0", method: "notifications/message", params };
        response.write(`id: ${count}\nevent: message\ndata: ${JSON.stringify(notice)}\n\n`);
        sent.set(response, count);
      }, everyMs);
      response.once("close", () => {
        clearInterval(timer);
        sent.delete(response);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", 1_024, resolve));
  ending.add(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, sent };
}

/** Reads to the end; what comes must count without a gap. */
async function follow(response: Response, stream: Stream): Promise<void> {
  let rest = "";
  const decoder = new TextDecoder();
  try {
    for await (const part of response.body ?? []) {
      rest += decoder.decode(part, { stream: true });
      const blocks = rest.split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const count = /"count":(\d+)/.exec(block)?.[1];
        if (count === undefined) continue;
        if (Number(count) !== stream.seen + 1) stream.fault = `${stream.seen}, then ${count}`;
        stream.seen = Number(count);
      }
    }
  } catch {
    // Left, or cut; the caller knows which.
  }
  stream.ended = true;
}

const rssMb = (pids: readonly number[]): number =>
  pids.reduce((all, pid) => {
    const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return all + Number(kb) / 1_024;
  }, 0);

const mean = (values: readonly number[]): number =>
  values.reduce((all, value) => all + value, 0) / values.length;

/** Opens the n-th stream: half are GET streams, a quarter calls, a quarter modern subscriptions. */
async function openOne(at: { url: string; key: string; n: number; left: AbortSignal }) {
  const { url, key, n, left } = at;
  if (n % 4 < 3) {
    const raw = await openRaw(url, key);
    const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}';
    return n % 4 < 2 ? raw.get({}, left) : raw.post(call, {}, left);
  }
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": { name: "soak", version: "1" },
  };
  const method = "subscriptions/listen";
  return fetch(url, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${key}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": method,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: n, method, params: { _meta: meta } }),
    signal: left,
  });
}

interface Subject {
  name: "router" | "pass-through";
  url: string;
  key: string;
  pids: () => number[];
  streams: Stream[];
  /** MiB, once in a while */
  rss: number[];
}

interface Surroundings {
  ending: Ending;
  host: RouterHost;
  serverUrl: string;
}

async function startRouted({ ending, host, serverUrl }: Surroundings): Promise<Subject> {
  const router: Router = await startRouter({ host });
  ending.add(async () => void (await router.stop()));
  const admin = adminOf(router, router.adminToken);
  await admin("POST", "/tenants", { slug: "streams", name: "Streams" });
  const demo = { provider: "demo", name: "demo", apiKey: "none" };
  await admin("POST", "/tenants/streams/credentials", demo);
  const url = await register(router, "streams", { slug: "s", url: serverUrl });
  const key = await proxyKey(router, "streams");
  return { name: "router", url, key, pids: () => router.runtimePids(), streams: [], rss: [] };
}

async function startPassThrough({ ending, host, serverUrl }: Surroundings) {
  if (host === "node") {
    const file = "node-stream-through-process.ts";
    const { url, pid } = await startChild<{ url: string }>(file, { serverUrl }, ending);
    return { url, pids: [pid] };
  }
  const entry = "test/bench/workers/stream-through.ts";
  const values = { SERVER_URL: serverUrl };
  return startWorker({ entry, embedded: false, values }, ending);
}

/** The control: what a program of the same host takes that only hands the same streams on. */
async function startBare(surroundings: Surroundings): Promise<Subject> {
  const { url, pids } = await startPassThrough(surroundings);
  return { name: "pass-through", url, key: "none", pids: () => pids, streams: [], rss: [] };
}

/** One after the other; what is read of them goes on until `left`. */
async function openStreams(
  { url, key, streams }: Subject,
  { count, left }: { count: number; left: AbortSignal },
): Promise<Promise<void>[]> {
  const following: Promise<void>[] = [];
  for (let n = 0; n < count; n += 1) {
    const stream: Stream = { seen: 0, fault: null, ended: false };
    const response = await openOne({ url, key, n, left });
    if (!response.ok) throw new Error(`stream ${n}: ${response.status}`);
    streams.push(stream);
    following.push(follow(response, stream));
  }
  return following;
}

function faultsOf({ name, streams, rss }: Subject, fewest: number): string[] {
  const faults = streams.flatMap(({ fault, ended, seen }, n) => [
    ...(fault === null ? [] : [`${name}, stream ${n}: ${fault}`]),
    ...(ended ? [`${name}, stream ${n} ended after ${seen} events`] : []),
    ...(seen < fewest ? [`${name}, stream ${n}: ${seen} events of ${fewest}`] : []),
  ]);
  const third = Math.floor(rss.length / 3);
  const [before, last] = [rss.slice(third, -third), rss.slice(-third)].map(mean);
  if (third > 0 && (last ?? 0) > (before ?? 0) * growth)
    faults.push(`${name}: memory grew: ${before?.toFixed(1)} MiB, then ${last?.toFixed(1)} MiB`);
  return faults;
}

export async function soakStreams(
  about: { database: DatabaseName; streams: number; minutes: number },
  say: Say,
): Promise<string[]> {
  // No stream is in the database: its kind says which host serves.
  if (about.database === "sqld") return ["streams runs on embedded or objects"];
  const ending = createEnding();
  const left = new AbortController();
  try {
    const server = await startCounting(ending);
    const host = hostOf(about.database);
    const surroundings = { ending, host, serverUrl: server.url };
    const subjects = [await startRouted(surroundings), await startBare(surroundings)];
    const following: Promise<void>[] = [];
    for (const subject of subjects)
      following.push(...(await openStreams(subject, { count: about.streams, left: left.signal })));
    const began = performance.now();
    const until = began + about.minutes * 60_000;
    say(`${about.streams} streams are open through each, ${everyMs} ms between events`);
    while (performance.now() < until) {
      await wait(Math.min(sampleMs, until - performance.now()));
      for (const { pids, rss } of subjects) rss.push(rssMb(pids()));
      say(
        subjects
          .map(({ name, streams, rss }) => {
            const open = streams.filter(({ ended }) => !ended).length;
            const events = streams.reduce((all, { seen }) => all + seen, 0);
            return `${name} ${rss.at(-1)?.toFixed(1)} MiB, ${open} open, ${events} events`;
          })
          .join("; "),
      );
    }
    // One event may still be on its way.
    const fewest = Math.min(...server.sent.values()) - 1;
    const faults = subjects.flatMap((subject) => faultsOf(subject, fewest));
    left.abort();
    await Promise.all(following);
    // The runtime notices that a client has left when it writes: with the next event.
    const patience = performance.now() + leftWithinMs;
    while (server.sent.size > 0 && performance.now() < patience) await wait(everyMs);
    if (server.sent.size > 0) faults.push(`${server.sent.size} streams are left at the server`);
    say(
      `after all have left: ${subjects.map(({ name, pids }) => `${name} ${rssMb(pids()).toFixed(1)} MiB`).join("; ")}`,
    );
    return faults;
  } finally {
    left.abort();
    await ending.run();
  }
}
