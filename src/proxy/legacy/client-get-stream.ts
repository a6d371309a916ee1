/**
 * A server has one GET stream per session, so the client waits here until the router has closed its own.
 * Messages in between may be lost.
 */
import type { UpstreamAnswer } from "../../domain/ports/upstream.ts";
import type { Refusal } from "../../domain/refusals.ts";
import type { Result } from "../../domain/result.ts";
import type { Session } from "../../domain/tenancy/session.ts";
import { sendOn, type Exchange } from "../exchange.ts";
import type { LegacyServices } from "./services.ts";

/** Attempts after the router's own stream, whose end the server may notice late… */
const maxTries = 6;
/** …and if it is unknown who holds the stream. */
const fewTries = 2;
const pauseMs = 25;
const [lookHereMs, lookMs] = [20, 100];
const patienceMs = 3_000;

/** @returns false if the stream was not the router's */
async function untilReleased(
  services: Pick<LegacyServices, "streams" | "wait">,
  session: Session,
  left: AbortSignal,
): Promise<boolean> {
  const { streams, wait } = services;
  const isHere = streams.routerStreamHere(session) !== null;
  const stepMs = isHere ? lookHereMs : lookMs;
  for (let waitedMs = 0; waitedMs < patienceMs && !left.aborted; waitedMs += stepMs) {
    const held = isHere
      ? streams.routerStreamHere(session) !== null
      : await streams.isRouters(session);
    if (!held) return isHere || waitedMs > 0;
    await wait(stepMs, left);
  }
  return true;
}

export async function openClientGetStream(
  services: Pick<LegacyServices, "streams" | "upstream" | "wait">,
  exchange: Exchange,
): Promise<Result<UpstreamAnswer, Refusal>> {
  const { session } = exchange.caller;
  const { left } = exchange;
  if (session === null) return sendOn(services, exchange, { body: null });
  // Stored before the server is asked, so that the router's stream gives way.
  await services.streams.clientWants(session);
  let max = fewTries;
  for (let tries = 1; ; tries += 1) {
    const opened = await sendOn(services, exchange, { body: null });
    if (!opened.ok || opened.value.status !== 409 || tries === max) return opened;
    await opened.value.body?.cancel();
    const wasRouters = await untilReleased(services, session, left);
    if (wasRouters) max = maxTries;
    if (!wasRouters || tries > 1) await services.wait(pauseMs * tries, left);
  }
}
