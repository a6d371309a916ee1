/** The Node host: the composition in one process, started by `start/`. */
import { createCompositions } from "./compose/by-origin.ts";
import { createComposition } from "./compose/composition.ts";
import { parseConfig, type Bindings } from "./config.ts";
import { err, ok, type Result } from "./domain/result.ts";
import { createApp } from "./http/app.ts";
import type { Host } from "./compose/host.ts";
import { clock, createIsolate } from "./compose/isolate.ts";
import { answerDirectly, directPlace } from "./http/direct.ts";
import type { NodeServerDeps, RequestHooks } from "./node/server.ts";
import { createOpenWork, type OpenWork } from "./node/open-work.ts";

export interface NodeHost {
  answer(request: Request, about: RequestHooks): Promise<Response>;
  answerDirectly: NodeServerDeps["answerDirectly"];
  /** Returns whether a job is behind. */
  runJobs(): Promise<boolean>;
  open: OpenWork;
  log: Host["log"];
}

/** @param env `DATABASES` represents the embedded database */
export async function createNodeHost(env: Bindings, host: Host): Promise<Result<NodeHost, string>> {
  const config = parseConfig(env);
  if (!config.ok) return err(`${config.error.setting} ${config.error.problem}`);
  const isolate = await createIsolate(config.value, { ...host, isOneProcess: true });
  const app = createApp();
  const open = createOpenWork(clock.elapsed);
  const work = {
    background: open.background,
    upkeep: (promise: Promise<unknown>) => void promise.catch(() => undefined),
  };
  const compositionAt = createCompositions(
    (origin) => createComposition(isolate, { ...work, origin }),
    config.value.publicOrigins,
  );
  const forJobs = createComposition(isolate, work);
  return ok({
    open,
    log: host.log,
    async answer(request, about) {
      const { servicesFor } = compositionAt(request.url);
      return app.fetch(request, { servicesFor, ...about });
    },
    answerDirectly({ request, url, path }, { requestIs }) {
      const place = directPlace(path);
      if (place === null) return null;
      const { servicesFor } = compositionAt(url);
      return answerDirectly({ servicesFor, requestIs }, { request, path, place });
    },
    async runJobs() {
      const reports = await forJobs.jobs();
      for (const report of reports)
        if (report.changed !== 0) host.log({ event: "scheduled", ...report });
      return reports.some(({ behind }) => behind);
    },
  });
}
