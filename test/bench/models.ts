/**
 * `npm run bench -- models`: a model endpoint beside a bare pass-through and Portkey's gateway, in one run against the same
 * provider; then what the router does with a body before it is sent on.
 */
import { Agent, request } from "node:http";
import type { Ending } from "../../src/start/ending.ts";
import { featuresOf } from "../../src/domain/tokens/text-features.ts";
import { withMembers } from "../../src/domain/passing.ts";
import { readModelRequest } from "../../src/mcp/json-text/model-request.ts";
import { startRouter } from "../fakes/router.ts";
import { startChild } from "./child.ts";
import { cpuMsOf } from "./cpu.ts";
import { memoryMibOf } from "./memory.ts";
import { startPortkey } from "./peers.ts";
import { providerModel } from "./provider.ts";
import { adminToken, routerSettings } from "./subjects.ts";
import { createTenant } from "./tenant.ts";

interface Subject {
  name: string;
  url: string;
  headers: Record<string, string>;
  pids: number[];
}

interface Asked {
  chunks: number;
  gapMs: number;
  /** ms that the provider takes to its first token */
  firstMs?: number;
  isStreamed: boolean;
}

const bodyOf = ({ chunks, gapMs, firstMs = 0, isStreamed }: Asked): string =>
  JSON.stringify({
    model: providerModel,
    messages: [{ role: "user", content: "Say something." }],
    user: `${chunks} ${gapMs} ${firstMs}`,
    ...(isStreamed && { stream: true }),
  });

/** Resolves with the ms to the first content, and with the number of chunks. `held`: resolves with the first content. */
function ask(
  { url, headers }: Subject,
  { agent, asked, held }: { agent: Agent; asked: Asked; held?: boolean },
): Promise<{ firstMs: number; chunks: number; close: () => void }> {
  const body = bodyOf(asked);
  const beganAt = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}/v1/chat/completions`,
      {
        agent,
        method: "POST",
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          ...headers,
        },
      },
      (response) => {
        let firstMs = 0;
        let chunks = 0;
        let tail = "";
        const close = (): void => void sent.destroy();
        response.on("data", (piece: Buffer) => {
          const text = tail + piece.toString("latin1");
          const words = text.split('" word"').length - 1;
          chunks += words;
          tail = words > 0 ? text.slice(text.lastIndexOf('" word"') + 7) : text.slice(-200);
          if (firstMs === 0 && (words > 0 || !asked.isStreamed)) {
            firstMs = performance.now() - beganAt;
            if (held === true) resolve({ firstMs, chunks, close });
          }
        });
        response.on("error", held === true ? () => {} : reject);
        response.on("end", () => {
          const isRight =
            response.statusCode === 200 && (!asked.isStreamed || chunks === asked.chunks);
          if (isRight) resolve({ firstMs, chunks, close });
          else reject(new Error(`status ${response.statusCode}, ${chunks} chunks: ${tail}`));
        });
      },
    );
    sent.on("error", held === true ? () => {} : reject);
    sent.end(body);
  });
}

const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
};

/** Asks for so long at a concurrency. */
async function load(subject: Subject, asked: Asked, of: { concurrency: number; seconds: number }) {
  const agent = new Agent({ keepAlive: true, maxSockets: of.concurrency });
  const firsts: number[] = [];
  let chunks = 0;
  const cpuBefore = cpuMsOf(subject.pids) ?? 0;
  const beganAt = performance.now();
  const until = beganAt + of.seconds * 1_000;
  const caller = async (): Promise<void> => {
    while (performance.now() < until) {
      const answer = await ask(subject, { agent, asked });
      firsts.push(answer.firstMs);
      chunks += answer.chunks;
    }
  };
  await Promise.all(Array.from({ length: of.concurrency }, caller));
  agent.destroy();
  return {
    firsts,
    chunks,
    seconds: (performance.now() - beganAt) / 1_000,
    cpuMs: (cpuMsOf(subject.pids) ?? 0) - cpuBefore,
  };
}

/** MiB that so many open streams take. */
async function memoryOf(subject: Subject, streams: number): Promise<number> {
  const before = memoryMibOf(subject.pids) ?? 0;
  const agent = new Agent();
  const asked = { chunks: 1_000, gapMs: 5_000, isStreamed: true };
  const open: { close: () => void }[] = [];
  for (let at = 0; at < streams; at += 50)
    open.push(
      ...(await Promise.all(
        Array.from({ length: 50 }, () => ask(subject, { agent, asked, held: true })),
      )),
    );
  const after = memoryMibOf(subject.pids) ?? 0;
  for (const { close } of open) close();
  agent.destroy();
  return after - before;
}

async function subjectsOf(ending: Ending, say: (line: string) => void): Promise<Subject[]> {
  const provider = await startChild<{ url: string }>("models-provider-process.ts", {}, ending);
  const about = { providerUrl: provider.url };
  const through = await startChild<{ url: string }>("models-through-process.ts", about, ending);
  const router = await startRouter({ env: routerSettings });
  ending.add(async () => void (await router.stop()));
  await createTenant({ url: router.url, adminToken, providerUrl: provider.url });
  const made = await fetch(`${router.url}/admin/v1/tenants/bench/keys`, {
    method: "POST",
    headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "models", scopes: ["models"] }),
  });
  const { key } = (await made.json()) as { key: string };
  const subjects: Subject[] = [
    {
      name: "provider",
      url: provider.url.replace(/\/v1$/, ""),
      headers: {},
      pids: [provider.pid],
    },
    { name: "pass-through", url: through.url, headers: {}, pids: [through.pid] },
    {
      name: "router",
      url: router.url,
      headers: { authorization: `Bearer ${key}` },
      pids: [router.pid],
    },
  ];
  try {
    const portkey = await startPortkey(ending, say, { streams: true });
    subjects.push({
      name: "Portkey",
      url: portkey.url,
      headers: {
        authorization: "Bearer provider-key",
        "x-portkey-provider": "openai",
        "x-portkey-custom-host": provider.url,
      },
      pids: [portkey.pid],
    });
  } catch (cause) {
    say(`without Portkey: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  return subjects;
}

const row = (name: string, ...figures: (string | number)[]): string =>
  name.padEnd(15) +
  figures
    .map((figure) => (typeof figure === "string" ? figure : figure.toFixed(2)).padStart(12))
    .join("");

function benchBodies(say: (line: string) => void): void {
  say(`\n${row("body", "scan, ms", "ms a MB", "estimate", "edit, ms")}`);
  for (const bytes of [116_000, 4_000_000]) {
    const content = 'Some "quoted" text, ünd more of it.\n'.repeat(50);
    const messages = Array.from({ length: Math.ceil(bytes / 2_000) }, () => ({
      role: "user",
      content,
    }));
    const body = new TextEncoder().encode(JSON.stringify({ model: "auto", messages }));
    const times = (act: () => unknown): number => {
      const taken = Array.from({ length: 30 }, () => {
        const beganAt = performance.now();
        act();
        return performance.now() - beganAt;
      });
      return quantile(taken, 0.5);
    };
    const read = readModelRequest(body);
    if (!read.ok) throw new Error("The body is refused.");
    const scan = times(() => readModelRequest(body));
    const edit = times(() => withMembers(read.value, { model: '"m"' }));
    const texts = messages.map((message) => message.content).join("");
    const [aMb, estimate] = [1e6 / body.length, times(() => featuresOf(texts))];
    say(row(`${Math.round(body.length / 1_000)} kB`, scan, scan * aMb, estimate * aMb, edit));
  }
}

/** The wait for the first token as a client has it, and what is added to the provider's. */
function sayFirsts(first: ReadonlyMap<string, number>, say: (line: string) => void): void {
  const { provider = 0, ...others } = Object.fromEntries(first);
  const through = others["pass-through"] ?? Number.NaN;
  say("\nms to the first token at c=1, from a provider that takes 200 ms");
  say(row("", "whole", "added", "times"));
  for (const [name, ms] of Object.entries(others)) say(row(name, ms, ms - provider, ms / through));
}

const whole: Asked = { chunks: 0, gapMs: 0, isStreamed: false };
const short: Asked = { chunks: 5, gapMs: 0, isStreamed: true };
/** Published medians of fast hosted models are 150 to 600 ms. */
const usual: Asked = { ...short, firstMs: 200 };
const long: Asked = { chunks: 500, gapMs: 0, isStreamed: true };

/** @param args s of each measurement, and how many streams are open at once */
export async function benchModels(
  [seconds = "5", streams = "1000"]: readonly string[],
  ending: Ending,
  say: (line: string) => void,
): Promise<string[]> {
  const subjects = await subjectsOf(ending, say);
  const at = (concurrency: number) => ({ concurrency, seconds: Number(seconds) });
  const memories = new Map<string, number>();
  for (const subject of subjects) {
    for (const asked of [whole, short, long])
      await load(subject, asked, { concurrency: 16, seconds: 2 });
    // Before the load, whose memory stays resident.
    memories.set(subject.name, await memoryOf(subject, Number(streams)));
  }
  const columns = [
    "answers/s",
    "ms CPU each",
    "first c=1",
    "first c=64",
    "first usual",
    "chunks/s",
    "CPU/1,000",
    "MiB",
  ];
  say(row("", ...columns));
  const first = new Map<string, number>();
  for (const subject of subjects) {
    const answers = await load(subject, whole, at(64));
    const [one, many] = [await load(subject, short, at(1)), await load(subject, short, at(64))];
    first.set(subject.name, quantile((await load(subject, usual, at(1))).firsts, 0.5));
    const chunked = await load(subject, long, at(200));
    say(
      row(
        subject.name,
        answers.firsts.length / answers.seconds,
        answers.cpuMs / answers.firsts.length,
        quantile(one.firsts, 0.5),
        quantile(many.firsts, 0.5),
        first.get(subject.name) ?? 0,
        chunked.chunks / chunked.seconds,
        chunked.cpuMs / (chunked.chunks / 1_000),
        memories.get(subject.name) ?? 0,
      ),
    );
  }
  sayFirsts(first, say);
  benchBodies(say);
  return [];
}
