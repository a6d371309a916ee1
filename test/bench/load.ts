/** The load: each caller asks, waits for the whole answer, checks it, and asks again. */
import { Agent, request, type ClientRequest } from "node:http";
import type { Answered, Call, Timing } from "./calls.ts";
import { cpuMsOf } from "./cpu.ts";
import { memoryMibOf } from "./memory.ts";

export interface Target {
  url: string;
  call: Call;
  /** Of the process that serves it, and of the database server behind; none where there is none. */
  pids: { server: readonly number[]; database: readonly number[] };
}

export interface Turn {
  /** ms of each answer to a request that began in the measured time */
  latencies: number[];
  /**
   * right answers in the measured time; one that lies in it partly counts as that part, since
   * answers come in bursts that are nearly as long as a turn
   */
  answers: number;
  /** s */
  measuredSeconds: number;
  /** ms of CPU over all that was asked; null: not known on this system */
  cpu: { server: number | null; database: number | null };
  /** MiB that the server has resident after the turn; null: not known on this system */
  memoryMib: number | null;
  /** sums of ms over `latencies` */
  timing: Timing;
  asked: number;
  wrong: number;
  firstWrong: string | null;
}

/** The part of a turn in which connections open and caches warm, and nothing is measured. */
const leadShare = 0.15;
const answerWithinMs = 20_000;
let turns = 0;

/** One exchange on a connection that is kept. */
export function exchange(
  target: Pick<Target, "url" | "call">,
  body: string,
  agent: Agent,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const { hostname, port, pathname } = new URL(target.url);
    const path = `${pathname === "/" ? "" : pathname}${target.call.path}`;
    const sent: ClientRequest = request(
      {
        agent,
        hostname,
        port,
        path,
        method: "POST",
        headers: { ...target.call.headers, "Content-Length": Buffer.byteLength(body) },
        timeout: answerWithinMs,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
        );
      },
    );
    sent.on("timeout", () => sent.destroy(new Error(`no answer within ${answerWithinMs} ms`)));
    sent.on("error", reject);
    sent.end(body);
  });
}

export async function runTurn(
  target: Target,
  about: { concurrency: number; seconds: number },
): Promise<Turn> {
  const { concurrency, seconds } = about;
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const turn: Turn = {
    latencies: [],
    answers: 0,
    measuredSeconds: seconds * (1 - leadShare),
    cpu: { server: null, database: null },
    memoryMib: null,
    timing: {},
    asked: 0,
    wrong: 0,
    firstWrong: null,
  };
  const name = `nonce-${process.pid.toString(36)}x${(turns += 1).toString(36)}`;
  const from = performance.now() + seconds * leadShare * 1_000;
  const until = from + turn.measuredSeconds * 1_000;

  const ask = async (): Promise<void> => {
    const id = (turn.asked += 1);
    const asked = { id, nonce: `${name}-${id}` };
    const body = target.call.body(asked);
    const beganAt = performance.now();
    try {
      const answered = await exchange(target, body, agent);
      const endedAt = performance.now();
      const timing = target.call.check(asked, answered);
      const inside = Math.min(endedAt, until) - Math.max(beganAt, from);
      turn.answers += Math.max(0, inside) / (endedAt - beganAt);
      if (beganAt < from) return;
      turn.latencies.push(endedAt - beganAt);
      for (const [step, ms] of Object.entries(timing ?? {}))
        turn.timing[step] = (turn.timing[step] ?? 0) + ms;
    } catch (cause) {
      turn.wrong += 1;
      turn.firstWrong ??= cause instanceof Error ? cause.message : String(cause);
    }
  };
  const caller = async (): Promise<void> => {
    while (performance.now() < until) await ask();
  };
  const { server, database } = target.pids;
  const before = { server: cpuMsOf(server), database: cpuMsOf(database) };
  try {
    await Promise.all(Array.from({ length: concurrency }, caller));
  } finally {
    agent.destroy();
  }
  const spent = (now: number | null, then: number | null): number | null =>
    now === null || then === null ? null : now - then;
  turn.cpu = {
    server: spent(cpuMsOf(server), before.server),
    database: spent(cpuMsOf(database), before.database),
  };
  turn.memoryMib = memoryMibOf(server);
  return turn;
}
