/** A database that is deleted under a running router: what callers, the log, `doctor` and the next start say. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databasesOf } from "../../src/cli/doctor/database.ts";
import { parseSettings } from "../../src/start/settings.ts";
import { asking, callOnce, createTenant } from "../fakes/caller.ts";
import { startHoldingProvider, type HoldingProvider } from "../fakes/holding-provider.ts";
import { linesOf } from "../fakes/log-lines.ts";
import { spawnLauncher, startRouter, temporaryStateDir, type Router } from "../fakes/router.ts";
import { patient } from "../setup/patience.ts";

let router: Router;
let provider: HoldingProvider;

beforeAll(async () => {
  provider = await startHoldingProvider();
  router = await startRouter({
    host: "node",
    stateDir: temporaryStateDir(),
    env: { LOG_FORMAT: "json" },
  });
}, 90_000);
afterAll(async () => {
  await router?.stop();
  await provider?.stop();
});

const doctorOf = async (stateDir: string): Promise<string[]> => {
  const settings = parseSettings({ STATE_DIR: stateDir });
  if (!settings.ok) throw new Error(settings.error);
  const said: string[] = [];
  for await (const { level, says } of databasesOf(settings.value)) said.push(`${level} ${says}`);
  return said;
};

describe("a database that is deleted under a running router", () => {
  it("ends admissions; what was paid for is answered, and the log says that it is unrecorded", async () => {
    const tenant = await createTenant(router, "acme", {
      provider: "held",
      baseUrl: provider.url,
      models: [{ id: "one", inputUsdPerMTok: 1, outputUsdPerMTok: 1 }],
    });
    const running = callOnce(router, tenant.key, asking("hello"));
    await expect.poll(() => provider.waiting(), { timeout: patient(15_000) }).toBe(1);
    rmSync(join(router.stateDir, "embedded"), { recursive: true });
    provider.answerAll();
    expect((await running).body).toMatchObject({ result: { role: "assistant" } });
    expect(await callOnce(router, tenant.key, asking("again"))).toMatchObject({
      body: { error: { data: { reason: "unavailable", cause: "replaced" } } },
    });
    const ready = async () => {
      const answer = await fetch(`${router.url}/health/ready`);
      return { status: answer.status, body: (await answer.json()) as unknown };
    };
    await expect.poll(ready, { timeout: patient(15_000), interval: 200 }).toMatchObject({
      status: 503,
      body: { status: "writes fail", fault: "replaced" },
    });
    expect(linesOf(router, "database.replaced")).toEqual([
      expect.objectContaining({ detail: expect.stringContaining("restore the file or a backup") }),
    ]);
    expect(linesOf(router, "unrecorded")).toEqual([
      expect.objectContaining({ requestId: expect.stringMatching(/^req_/), fault: "replaced" }),
    ]);
    expect(provider.waiting()).toBe(0);
  });

  it("is missing at the next start, which makes no other one, and for doctor", async () => {
    await router.stop();
    const missing =
      /embedded.router\.sqlite is missing although .*restore it, or start with an empty STATE_DIR/;
    expect(await doctorOf(router.stateDir)).toEqual([expect.stringMatching(missing)]);
    const again = await spawnLauncher({ host: "node", stateDir: router.stateDir });
    expect(await again.ended).toBe(1);
    expect(again.output()).toMatch(missing);
  });
});
