/**
 * Callers of one tenant in a process of their own, so that what they cost is not in the way of the caller
 * that is measured. Each asks again as soon as it is answered: none heeds `retryAfterMs`.
 */
import { Agent } from "node:http";
import { samplingCall } from "./calls.ts";
import { about, serveParent } from "./child.ts";
import { exchange } from "./load.ts";

export interface Flooding {
  url: string;
  key: string;
  callers: number;
  /** of the whole flood */
  seconds: number;
  /** of its beginning, which is not counted */
  leadSeconds: number;
  /** how many ask, whether or not the others are answered; absent: each caller waits for its answer */
  perSecond?: number;
}

export interface Flooded {
  answered: number;
  /** `unavailable` with a number for `retryAfterMs` */
  refused: number;
  other: number;
  firstOther: string | null;
  /** ms, the shortest and the longest `retryAfterMs` */
  retryAfterMs: { least: number; max: number } | null;
  /** s that were counted */
  seconds: number;
}

interface Refused {
  error?: { data?: { reason?: string; retryAfterMs?: unknown } };
}

const { url, key, callers, seconds, leadSeconds, perSecond } = about() as Flooding;
const call = samplingCall(key);
const agent = new Agent({ keepAlive: true, maxSockets: callers });
const from = performance.now() + leadSeconds * 1_000;
const until = performance.now() + seconds * 1_000;
const told: Flooded = {
  answered: 0,
  refused: 0,
  other: 0,
  firstOther: null,
  retryAfterMs: null,
  seconds: seconds - leadSeconds,
};
let asking = 0;

function countRefusal(text: string): boolean {
  const { error } = JSON.parse(text) as Refused;
  const retryAfterMs = error?.data?.retryAfterMs;
  if (error?.data?.reason !== "unavailable" || typeof retryAfterMs !== "number") return false;
  const { least, max } = told.retryAfterMs ?? { least: retryAfterMs, max: retryAfterMs };
  told.retryAfterMs = {
    least: Math.min(least, retryAfterMs),
    max: Math.max(max, retryAfterMs),
  };
  told.refused += 1;
  return true;
}

async function ask(): Promise<void> {
  const id = (asking += 1);
  const asked = { id, nonce: `nonce-flood${process.pid.toString(36)}-${id}` };
  try {
    const answered = await exchange({ url, call }, call.body(asked), agent);
    const at = performance.now();
    if (at < from || at > until || countRefusal(answered.text)) return;
    call.check(asked, answered);
    told.answered += 1;
  } catch (cause) {
    if (performance.now() > until) return;
    told.other += 1;
    told.firstOther ??= cause instanceof Error ? cause.message : String(cause);
  }
}

async function caller(): Promise<void> {
  while (performance.now() < until) await ask();
}

const pauseMs = 2;

/** Asks as often as was said. */
async function steadily(rate: number): Promise<void> {
  const began = performance.now();
  const asked: Promise<void>[] = [];
  for (let now = began; now < until; now = performance.now()) {
    while (asked.length < ((now - began) / 1_000) * rate) asked.push(ask());
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  await Promise.all(asked);
}

// What hangs at the end is not waited for.
const late = new Promise((resolve) => setTimeout(resolve, seconds * 1_000 + 300));
const flooding =
  perSecond === undefined
    ? Promise.all(Array.from({ length: callers }, caller))
    : steadily(perSecond);
await Promise.race([flooding, late]);
serveParent(told, () => agent.destroy());
