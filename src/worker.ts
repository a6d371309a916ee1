/** The Worker's entry: fetch, scheduled, nothing else. */
import type { ExecutionContext, ExportedHandler } from "@cloudflare/workers-types";
import { createInvocation } from "./compose.ts";
import { parseConfig, type Bindings } from "./config.ts";
import { createApp } from "./http/app.ts";
import { createIsolate, log, type Isolate } from "./isolate.ts";

const app = createApp();
let isolate: Isolate | undefined;

/** The value and not its promise is kept: an invocation that is cut must not leave the others waiting. */
async function isolateFor(env: Bindings): Promise<Isolate | string> {
  if (isolate !== undefined) return isolate;
  const config = parseConfig(env);
  if (!config.ok) return `${config.error.setting} ${config.error.problem}`;
  isolate = await createIsolate(config.value);
  return isolate;
}

const invocationFor = (found: Isolate, context: ExecutionContext, request?: Request) =>
  createInvocation(found, {
    background: (work) => context.waitUntil(work),
    ...(request === undefined ? {} : { origin: new URL(request.url).origin }),
  });

export default {
  async fetch(request: Request, env: Bindings, context: ExecutionContext): Promise<Response> {
    const found = await isolateFor(env);
    if (typeof found === "string") {
      log({ event: "misconfigured", fault: found });
      return Response.json(
        { reason: "misconfigured", detail: found },
        { status: 503, headers: { "Content-Type": "application/problem+json" } },
      );
    }
    const { servicesFor } = invocationFor(found, context, request);
    return app.fetch(request, { servicesFor });
  },

  async scheduled(_event: unknown, env: Bindings, context: ExecutionContext): Promise<void> {
    const found = await isolateFor(env);
    if (typeof found === "string") return log({ event: "misconfigured", fault: found });
    for (const report of await invocationFor(found, context).jobs())
      if (report.changed !== 0) log({ event: "scheduled", ...report });
  },
} satisfies Pick<ExportedHandler<Bindings>, "scheduled"> & {
  fetch(request: Request, env: Bindings, context: ExecutionContext): Promise<Response>;
};
