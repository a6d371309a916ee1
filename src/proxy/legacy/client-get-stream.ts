/**
 * The client's own GET stream. The client's wish is stored before the server is asked, so that the router's
 * stream gives way. A server has one such stream per session and refuses a second, so the client's request
 * waits here until the router has let go. What the server sends between the two streams may be lost, so that
 * moment is as short as can be.
 */
import type { UpstreamAnswer } from "../../domain/ports/upstream.ts";
import type { Refusal } from "../../domain/refusals.ts";
import type { Result } from "../../domain/result.ts";
import type { Session } from "../../domain/tenancy/session.ts";
import type { LegacyServices } from "./services.ts";
import type { Exchange } from "../exchange.ts";

/** How often the server is asked where the router held the stream: the server may not notice its end at once. */
const mostTries = 6;
/** …and where it is unknown who holds it. */
const fewTries = 2;
const pauseMs = 25;
/** ms between two looks. A look at this isolate costs nothing; a look at another one is a read of the database. */
const [lookHereMs, lookMs] = [20, 100];
const patienceMs = 3_000;

/** Waits until the router has let go; false: the stream was not the router's. */
async function letGo(
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
  services: Pick<LegacyServices, "streams" | "wait">,
  { caller: { session }, left }: Pick<Exchange, "caller" | "left">,
  open: () => Promise<Result<UpstreamAnswer, Refusal>>,
): Promise<Result<UpstreamAnswer, Refusal>> {
  if (session === null) return open();
  await services.streams.clientWants(session);
  let most = fewTries;
  for (let tries = 1; ; tries += 1) {
    const opened = await open();
    if (!opened.ok || opened.value.status !== 409 || tries === most) return opened;
    await opened.value.body?.cancel();
    const wasRouters = await letGo(services, session, left);
    if (wasRouters) most = mostTries;
    if (!wasRouters || tries > 1) await services.wait(pauseMs * tries, left);
  }
}
