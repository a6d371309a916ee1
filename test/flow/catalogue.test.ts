/** The synced catalogue as an operator meets it: the daily job, the API, and `npm run catalogue`. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCatalogue } from "../../src/cli/catalogue-command.ts";
import { databasesOf } from "../../src/cli/doctor/database.ts";
import { seedCatalogue } from "../../src/domain/models/catalogue.ts";
import { parseSettings } from "../../src/start/settings.ts";
import { apiJsonOf, startModelsDev, type ModelsDev } from "../fakes/models-dev.ts";
import { startRouter, type Router } from "../fakes/router.ts";
import { startSqld, type Sqld } from "../fakes/sqld.ts";
import { fromSource } from "../setup/from-source.ts";
import { model } from "../unit/domain/models.fixture.ts";
import { patient } from "../setup/patience.ts";

const checkout = fileURLToPath(new URL("../../", import.meta.url));
const newModel = model("openai/gpt-new", { family: "gpt", inputUsdPerMTok: 7 });
const file = JSON.stringify(apiJsonOf([...seedCatalogue.models, newModel]));

interface Shown {
  provider: string;
  id: string;
  source: string;
  sources: Record<string, string>;
}

interface Ran {
  code: number;
  out: string;
  err: string;
}

/** As a person starts it: in a process of its own. */
const script = (name: string, args: string[], env: Record<string, string>) =>
  new Promise<Ran>((resolve) => {
    execFile(
      `${checkout}node_modules/node/bin/node`,
      [`src/cli/${name}.ts`, ...args],
      { cwd: checkout, env: { PATH: process.env["PATH"], ...fromSource, ...env } },
      (fault, out, err) => resolve({ code: fault === null ? 0 : 1, out, err }),
    );
  });

/** What that process runs, without the second that a process needs to start. */
async function inProcess(args: string[], env: Record<string, string>): Promise<Ran> {
  const done = await runCatalogue(args, { env, fetch });
  return done.ok
    ? { code: 0, out: `${done.value.join("\n")}\n`, err: "" }
    : { code: 1, out: "", err: `sampling-router: ${done.error}\n` };
}

describe("the daily job", () => {
  let modelsDev: ModelsDev;
  let router: Router;
  beforeAll(async () => {
    modelsDev = await startModelsDev(file);
    router = await startRouter({
      env: { CATALOGUE_URL: modelsDev.url, SCHEDULE_SECONDS: "1", OPENAI_API_KEY: "k" },
    });
  });
  afterAll(async () => {
    await router?.stop();
    await modelsDev?.close();
  });
  const admin = (path: string, init: RequestInit = {}) =>
    fetch(`${router.url}/admin/v1${path}`, {
      ...init,
      headers: { authorization: `Bearer ${router.adminToken}`, "content-type": "application/json" },
    });
  async function shown(name: string): Promise<Shown | undefined> {
    const answer = await admin(`/tenants/demo/models?limit=200&cursor=${name.slice(0, -1)}`);
    const { data } = (await answer.json()) as { data: Shown[] };
    return data.find(({ provider, id }) => `${provider}/${id}` === name);
  }

  it("brings new models to the tenants, and says where every figure came from", async () => {
    await expect.poll(() => shown("openai/gpt-new"), { timeout: patient(15_000) }).toBeDefined();
    const added = await shown("openai/gpt-new");
    expect(added).toMatchObject({ source: "catalogue", inputUsdPerMTok: 7 });
    expect(added?.sources).toMatchObject({ inputUsdPerMTok: "models.dev", tools: "models.dev" });
    expect(added?.sources).toMatchObject({ intelligence: "estimated", speed: "estimated" });
    expect(added).not.toHaveProperty("synced");
    const known = await shown("anthropic/claude-haiku-4-5");
    expect(known?.sources).toMatchObject({ inputUsdPerMTok: "models.dev" });
    expect(known?.sources).not.toHaveProperty("tools");

    const put = await admin("/tenants/demo/models/openai/gpt-new", {
      method: "PUT",
      body: JSON.stringify({ outputUsdPerMTok: 9, speed: 5 }),
    });
    expect(put.status).toBe(200);
    const overridden = await shown("openai/gpt-new");
    expect(overridden).toMatchObject({ source: "override", speed: 5 });
    expect(overridden?.sources).toMatchObject({
      inputUsdPerMTok: "models.dev",
      intelligence: "estimated",
    });
    expect(overridden?.sources).not.toHaveProperty("speed");
    expect(overridden?.sources).not.toHaveProperty("outputUsdPerMTok");
    expect(modelsDev.asked()).toBe(1);
  });

  it("makes the version that a decision names", async () => {
    const answer = await fetch(`${router.url}/v1/route`, {
      method: "POST",
      headers: { authorization: `Bearer ${router.demoKey}`, "content-type": "application/json" },
      body: JSON.stringify({
        messages: [{ role: "user", content: { type: "text", text: "Hi" } }],
        maxTokens: 10,
        modelPreferences: { hints: [{ name: "gpt-new" }] },
      }),
    });
    expect(await answer.json()).toMatchObject({
      model: "gpt-new",
      catalogueVersion: expect.stringMatching(/^\d{4}-\d\d-\d\d\.[0-9a-f]{8}$/) as string,
    });
  });
});

describe("npm run catalogue on a running deployment", () => {
  let modelsDev: ModelsDev;
  let router: Router;
  beforeAll(async () => {
    // The router's own job runs once and takes nothing, so every sync was asked for.
    modelsDev = await startModelsDev("{}");
    router = await startRouter({
      env: { CATALOGUE_URL: modelsDev.url, SCHEDULE_SECONDS: "3600" },
    });
  });
  afterAll(async () => {
    await router?.stop();
    await modelsDev?.close();
  });
  const run = (args: string[], token: string | undefined = router.adminToken) =>
    inProcess(args, token === "" ? {} : { ADMIN_TOKEN: token });
  const admin = async (path: string): Promise<unknown> => {
    const authorization = `Bearer ${router.adminToken}`;
    return (await fetch(`${router.url}/admin/v1${path}`, { headers: { authorization } })).json();
  };

  it("syncs and shows the catalogue, and the log of events says who asked", async () => {
    const { url } = router;
    await expect
      .poll(() => admin("/catalogue"), { timeout: patient(15_000) })
      .toMatchObject({ fault: expect.stringContaining("malformed") as string });
    const seed = await script("catalogue", ["show", "--url", url], {
      ADMIN_TOKEN: router.adminToken,
    });
    expect(seed.out).toContain(`Version ${seedCatalogue.version}, bundled.`);
    modelsDev.answer(file);
    const first = await run(["sync", "--url", url]);
    expect([first.err, first.out]).toEqual([
      "",
      expect.stringContaining("+ openai/gpt-new (intelligence estimated from its price)\n"),
    ]);
    expect((await run(["sync", "--url", url])).out).toContain("Nothing new");
    const shown = (await run(["show", "--url", url])).out;
    expect(shown).toMatch(/^Version \d{4}-\d\d-\d\d\.[0-9a-f]{8}\.$/m);
    expect(shown).toMatch(/^\d{3} models\.$/m);
    modelsDev.answer("{}");
    const refused = await run(["sync", "--url", url]);
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toContain("was rejected, and the catalogue is unchanged: malformed");
    expect((await run(["show", "--url", url])).out).toContain("The last file was rejected");
    const { data } = (await admin("/events?limit=50")) as { data: { action: string }[] };
    expect(data.filter(({ action }) => action.startsWith("catalogue"))).toMatchObject(
      ["refused", "unchanged", "synced"].map((state) => ({
        actor: "operator",
        action: "catalogue.sync",
        tenantId: null,
        detail: { state },
      })),
    );
  });

  it("needs the operator's token from the environment, and sends it over https or to this machine alone", async () => {
    const { url } = router;
    expect((await run(["sync", "--url", url], "")).err).toContain("ADMIN_TOKEN is missing");
    const wrong = await run(["sync", "--url", url], "not-the-token");
    expect(wrong.err).toContain("answered 401");
    expect(wrong.err).not.toContain("not-the-token");
    expect((await run(["sync", "--url", "http://router.example"])).err).toContain("must be https");
    expect((await run(["sync", "--url", modelsDev.url])).err).toContain("does not answer like");
  });
});

describe("npm run catalogue", () => {
  let modelsDev: ModelsDev;
  let sqld: Sqld;
  beforeAll(async () => {
    [modelsDev, sqld] = await Promise.all([startModelsDev(file), startSqld()]);
  });
  afterAll(async () => {
    await modelsDev?.close();
    await sqld?.stop();
  });
  const run = (args: string[], env: Record<string, string> = {}) =>
    inProcess(args, { CATALOGUE_URL: modelsDev.url, ...env });

  it("syncs, prints what changed, and shows what there is", async () => {
    const env = { DATABASE_URL: sqld.url };
    expect(await script("catalogue", ["sync"], env)).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining("npm run db:migrate") as string,
    });
    expect((await script("migrate", [], env)).code).toBe(0);
    expect((await script("catalogue", ["show"], env)).out).toContain(
      `Version ${seedCatalogue.version}, bundled.`,
    );
    const first = await run(["sync"], env);
    expect(first.out).toContain("+ openai/gpt-new (intelligence estimated from its price)\n");
    expect(first.out).toContain("1 added, 0 retired, 0 prices changed.");
    expect((await run(["sync"], env)).out).toContain("Nothing new");
    const dearer = [...seedCatalogue.models, { ...newModel, inputUsdPerMTok: 8 }];
    modelsDev.answer(JSON.stringify(apiJsonOf(dearer)));
    expect((await run(["sync"], env)).out).toContain(
      "$ openai/gpt-new: 7/1 -> 8/1 USD per million tokens",
    );
    modelsDev.answer("{}");
    const refused = await run(["sync"], env);
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toContain("was rejected, and the catalogue is unchanged: malformed");
    const show = (await run(["show"], env)).out;
    expect(show).toContain("The last file was rejected: malformed");
    expect(show).toMatch(/^openai: \d+ models, 1 estimated, \d+ retired$/m);
  });

  it("runs on a database in which doctor finds migrations and the clock in order", async () => {
    const settings = parseSettings({ DATABASE_URL: sqld.url });
    if (!settings.ok) throw new Error(settings.error);
    const found: string[] = [];
    for await (const { level, check } of databasesOf(settings.value))
      found.push(`${level} ${check}`);
    expect(found).toEqual(["ok database", "ok migrations", "ok clock", "warning providers"]);
  });

  it("without a database says what to do, and how the command is used", async () => {
    expect((await run(["sync"])).err).toContain("sync --url https://router.example");
    for (const args of [["toast"], [], ["sync", "--token", "x"], ["sync", "show"]])
      expect((await run(args)).err).toContain("sync|show");
  });
});
