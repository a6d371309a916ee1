/**
 * A Durable Object of one parked call, whose connection it keeps: it answers the requests of the call's client, as a Node
 * process does. It stores nothing.
 */
import type { DurableObjectState } from "@cloudflare/workers-types";
import { createOpenExchanges } from "../domain/limits/open-exchanges.ts";
import { responseOf } from "../domain/ports/client-answer.ts";
import { answerDirectly, directPlace } from "../http/direct.ts";
import { createParkedCalls } from "../proxy/bridge/parked-calls.ts";
import { createComposition } from "./composition.ts";
import { clock, type Isolate } from "./isolate.ts";

export function createParkedObject(
  isolate: Isolate,
  ctx: Pick<DurableObjectState, "id" | "waitUntil">,
): (request: Request) => Promise<Response> {
  const { config } = isolate;
  const here: Isolate = {
    ...isolate,
    parkedCalls: createParkedCalls({
      epoch: ctx.id.toString(),
      patienceMs: config.parkedMs,
      processes: "one",
    }),
    // The isolate that forwards a request counts it too.
    openExchanges: createOpenExchanges({ limits: config.openLimits, elapsed: clock.elapsed }),
  };
  const background = (work: Promise<unknown>): void => ctx.waitUntil(work);
  return async (request) => {
    const { origin, pathname: path } = new URL(request.url);
    const { servicesFor } = createComposition(here, { background, upkeep: background, origin });
    const place = directPlace(path);
    const answer = place && (await answerDirectly({ servicesFor }, { request, path, place }));
    return answer === null ? new Response(null, { status: 404 }) : responseOf(answer);
  };
}
