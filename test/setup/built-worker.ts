/** Bundles the Worker and its console before the tests, which otherwise bundle them beside each other, once for each router. */
import { fileURLToPath } from "node:url";
import { keptConsole, keptWorker, readDeployment } from "../../src/start/bundle.ts";

const checkout = fileURLToPath(new URL("../../", import.meta.url));

export default async function setup(): Promise<void> {
  const deployment = readDeployment(checkout);
  if (!deployment.ok) throw new Error(deployment.error);
  const bundled = await keptWorker(checkout, deployment.value.main);
  if (!bundled.ok) throw new Error(bundled.error);
  await keptConsole();
}
