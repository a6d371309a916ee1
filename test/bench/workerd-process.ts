/** A Worker of the bench's own, in the very runtime that `npm start` serves the router in. */
import { about, serveParent } from "./child.ts";
import { bundleWorker, readDeployment } from "../../src/start/bundle.ts";
import { startRuntime } from "../../src/start/runtime.ts";
import { checkout } from "../../src/start/settings.ts";

export interface HostedCapabilities {
  /** path in the checkout */
  entry: string;
  port: number;
  stateDir: string;
  /** whether it has databases of its own */
  embedded: boolean;
  values: Record<string, string>;
  /** absent: no inspector */
  inspectorPort?: number;
}

const { entry, ...place } = about() as HostedCapabilities;
const deployment = readDeployment(checkout);
if (!deployment.ok) throw new Error(deployment.error);
const script = await bundleWorker(checkout, entry);
if (!script.ok) throw new Error(script.error);
const runtime = await startRuntime({
  ...place,
  host: "127.0.0.1",
  deployment: deployment.value,
  script: script.value.text,
  log: (line) => process.stderr.write(`${line}\n`),
});
if (!runtime.ok) throw new Error(runtime.error);
serveParent({ url: `http://127.0.0.1:${place.port}` }, runtime.value.stop);
