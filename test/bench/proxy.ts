/**
 * What the proxy adds to messages that sample nothing: latency to the first and to the last byte of a
 * `tools/call`, against a direct connection and two bare pass-throughs in workerd: one that lets the runtime
 * stream, and one that does the least that whoever takes parts of it out must.
 */
import { Agent, request } from "node:http";
import type { Ending } from "../../src/start/ending.ts";
import { startRouter } from "../fakes/router.ts";
import { startChild } from "./child.ts";
import { cpuMsOf } from "./cpu.ts";
import { machineLine } from "./machine.ts";
import { table } from "./report.ts";
import { adminToken, routerSettings, startWorker } from "./subjects.ts";

/** By the specification of this bench: the router's added p50, in that of the pass-through. */
const aim = 1.5;
const seconds = 1;
const leadSeconds = 0.25;
const tools = ["json", "stream"] as const;
const concurrencies = [1, 16];
const modernMeta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
};

type Era = "legacy" | "modern";
interface Subject {
  name: "direct" | "pass-through" | "reading pass-through" | "router";
  url: string;
  key: string | null;
  pids: readonly number[];
}

interface Sample {
  firstMs: number;
  lastMs: number;
}

interface Cell {
  subject: Subject;
  era: Era;
  tool: (typeof tools)[number];
  concurrency: number;
  headers: Record<string, string>;
  /** p50 of each turn: the median of them minds a disturbed turn less than all samples together */
  turns: Sample[];
  cpuMs: number;
  asked: number;
}

/** One exchange on a connection that is kept; ms from its beginning. */
function exchange(
  at: { url: string; agent: Agent; headers: Record<string, string> },
  body: string,
): Promise<Sample & { text: string; headers: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const sent = request(
      at.url,
      {
        agent: at.agent,
        method: "POST",
        headers: { ...at.headers, "Content-Length": Buffer.byteLength(body) },
        timeout: 20_000,
      },
      (response) => {
        let firstMs = 0;
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (part: string) => {
          if (firstMs === 0) firstMs = performance.now() - began;
          text += part;
        });
        response.on("error", reject);
        response.on("end", () =>
          resolve({ firstMs, lastMs: performance.now() - began, text, headers: response.headers }),
        );
      },
    );
    sent.on("timeout", () => sent.destroy(new Error("no answer in time")));
    sent.on("error", reject);
    sent.end(body);
  });
}

const basic = (key: string | null): Record<string, string> => ({
  "Content-Type": "application/json",
  Accept: "application/json, text/event-stream",
  ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
});

/** Headers of every further message: a session where the era has one. */
async function begun({ url, key }: Subject, era: Era): Promise<Record<string, string>> {
  if (era === "modern")
    return {
      ...basic(key),
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": "tools/call",
    };
  const agent = new Agent();
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "bench", version: "1" },
  };
  const answer = await exchange(
    { url, agent, headers: basic(key) },
    JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }),
  );
  const session = answer.headers["mcp-session-id"];
  if (typeof session !== "string") throw new Error(`no session: ${answer.text}`);
  return { ...basic(key), "Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-11-25" };
}

/** Callers ask one after the other for the length of a turn; every answer is checked. */
async function turn(cell: Cell): Promise<void> {
  const { subject, era, tool, concurrency } = cell;
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const from = performance.now() + leadSeconds * 1_000;
  const until = performance.now() + seconds * 1_000;
  const headers = { ...cell.headers, ...(era === "modern" ? { "Mcp-Name": tool } : {}) };
  const caller = async (): Promise<void> => {
    while (performance.now() < until) {
      const id = (cell.asked += 1);
      const nonce = `n-${concurrency}-${id}`;
      const params = {
        name: tool,
        arguments: { nonce },
        ...(era === "modern" ? { _meta: modernMeta } : {}),
      };
      const began = performance.now();
      const body = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
      const got = await exchange({ url: subject.url, agent, headers }, body);
      if (!got.text.includes(`"id":${id},`) || !got.text.includes(`${nonce}: `))
        throw new Error(`${subject.name} answered ${got.text.slice(0, 300)}`);
      if (began >= from) samples.push({ firstMs: got.firstMs, lastMs: got.lastMs });
    }
  };
  const samples: Sample[] = [];
  const before = cpuMsOf(subject.pids) ?? 0;
  try {
    await Promise.all(Array.from({ length: concurrency }, caller));
  } finally {
    agent.destroy();
  }
  cell.cpuMs += (cpuMsOf(subject.pids) ?? 0) - before;
  cell.turns.push({ firstMs: p50(samples, "firstMs"), lastMs: p50(samples, "lastMs") });
}

function p50(samples: readonly Sample[], which: keyof Sample): number {
  const sorted = Float64Array.from(samples.map((sample) => sample[which])).toSorted();
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

async function startProxy(serverUrl: string, ending: Ending): Promise<Subject> {
  const router = await startRouter({
    host: "workerd",
    env: { ...routerSettings, ADMIN_TOKEN: adminToken },
  });
  ending.add(async () => void (await router.stop()));
  const admin = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${router.url}/admin/v1${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${adminToken}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
  await admin("/tenants", { slug: "bench", name: "Bench" });
  await admin("/tenants/bench/credentials", { provider: "demo", name: "demo", apiKey: "none" });
  await admin("/tenants/bench/servers", { slug: "s", url: serverUrl, sampling: "router" });
  const made = await admin("/tenants/bench/keys", { name: "bench", scopes: ["proxy"] });
  return {
    name: "router",
    url: `${router.url}/mcp/bench/s`,
    key: String(made["key"]),
    pids: router.runtimePids(),
  };
}

function report(cells: readonly Cell[], say: (line: string) => void): string[] {
  const faults: string[] = [];
  const rows: string[][] = [
    [
      "",
      "c",
      "subject",
      "first ms",
      "last ms",
      "added first",
      "added last",
      "of pass-through",
      "cpu ms",
    ],
  ];
  for (const cell of cells) {
    const { era, tool, concurrency, subject } = cell;
    const other = (name: Subject["name"], which: keyof Sample): number => {
      const found = cells.find(
        (each) =>
          each.subject.name === name &&
          each.era === era &&
          each.tool === tool &&
          each.concurrency === concurrency,
      );
      return p50(found?.turns ?? [], which);
    };
    const added = (name: Subject["name"], which: keyof Sample): number =>
      other(name, which) - other("direct", which);
    const ratios = (["firstMs", "lastMs"] as const).map(
      (which) => added(subject.name, which) / added("pass-through", which),
    );
    const isRouter = subject.name === "router";
    if (isRouter && Math.max(...ratios) > aim)
      faults.push(
        `${era} ${tool}, c=${concurrency}: ${ratios.map((each) => each.toFixed(2)).join(" and ")} times the pass-through's overhead`,
      );
    rows.push([
      subject.name === "direct" ? `${era} ${tool}` : "",
      String(concurrency),
      subject.name,
      p50(cell.turns, "firstMs").toFixed(2),
      p50(cell.turns, "lastMs").toFixed(2),
      added(subject.name, "firstMs").toFixed(2),
      added(subject.name, "lastMs").toFixed(2),
      ["router", "reading pass-through"].includes(subject.name)
        ? ratios.map((each) => `${each.toFixed(2)}×`).join(" ")
        : "",
      subject.pids.length === 0 ? "" : (cell.cpuMs / cell.asked).toFixed(2),
    ]);
  }
  say(table(rows));
  say("\np50. added: over the direct connection. of pass-through: of what that adds, both.");
  return faults;
}

export async function benchProxy(
  ending: Ending,
  rounds: number,
  say: (line: string) => void,
): Promise<string[]> {
  const server = await startChild<{ url: string }>("mcp-server-process.ts", {}, ending);
  const through = async (name: Subject["name"], file: string): Promise<Subject> => {
    const entry = `test/bench/workers/${file}`;
    const values = { SERVER_URL: server.url };
    return { name, key: null, ...(await startWorker({ entry, embedded: false, values }, ending)) };
  };
  const subjects: Subject[] = [
    { name: "direct", url: server.url, key: null, pids: [] },
    await through("pass-through", "stream-through.ts"),
    await through("reading pass-through", "read-through.ts"),
    await startProxy(server.url, ending),
  ];
  const cells: Cell[] = [];
  for (const era of ["legacy", "modern"] as const)
    for (const tool of tools)
      for (const concurrency of concurrencies)
        for (const subject of subjects) {
          const headers = await begun(subject, era);
          cells.push({ subject, era, tool, concurrency, headers, turns: [], cpuMs: 0, asked: 0 });
        }
  say("warming up");
  for (const cell of cells) {
    await turn(cell);
    Object.assign(cell, { turns: [], cpuMs: 0, asked: 0 });
  }
  for (let round = 1; round <= rounds; round += 1) {
    for (const cell of cells) await turn(cell);
    say(`round ${round} of ${rounds}`);
  }
  say(`\n${machineLine()}\nLoad generator, server and workerd share these cores.\n`);
  return report(cells, say);
}
