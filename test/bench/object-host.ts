/** A Durable Object in the Workers runtime, asked from Node through miniflare's proxy. */
import { Miniflare } from "miniflare";
import { bundleWorker, readDeployment } from "../../src/start/bundle.ts";
import { checkout } from "../../src/start/settings.ts";
import type { Database } from "../../src/store/db.ts";
import {
  createStubEngine,
  type DatabaseObject,
} from "../../src/store/engines/durable/stub-engine.ts";
import { openOverEngine } from "../../src/store/over-engine.ts";

interface CountingObject extends DatabaseObject {
  takeWritten(): Promise<number[]>;
  bytes(): Promise<number>;
}

export interface ObjectHost {
  db: Database;
  object: CountingObject;
  stop(): Promise<void>;
}

const worker = "counting";
const className = "CountingDatabase";

export async function startObjectHost(): Promise<ObjectHost> {
  const deployment = readDeployment(checkout);
  if (!deployment.ok) throw new Error(deployment.error);
  const script = await bundleWorker(checkout, "test/bench/workers/counting-database.ts");
  if (!script.ok) throw new Error(script.error);
  const { compatibilityDate, compatibilityFlags } = deployment.value;
  const miniflare = new Miniflare({
    cf: false,
    telemetry: { enabled: false },
    enableDevRegistry: false,
    workers: [
      {
        config: {
          name: worker,
          compatibilityDate,
          compatibilityFlags,
          manifest: {
            mainModule: "worker.js",
            modules: { "worker.js": { type: "esm", contents: script.value.text } },
          },
          env: { OBJECTS: { type: "durable-object", worker, exportName: className } },
          exports: { [className]: { type: "durable-object", storage: "sqlite" } },
        },
      },
    ],
  });
  const namespace = await miniflare.getDurableObjectNamespace("OBJECTS");
  const object = namespace.getByName("bench") as unknown as CountingObject;
  const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  return {
    db: openOverEngine(createStubEngine({ connect: () => object, wait }), { timeoutMs: 60_000 }),
    object,
    stop: () => miniflare.dispose(),
  };
}
