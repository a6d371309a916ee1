/** What `npm start` makes of the provider variables, and of the deployment's settings. */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";
import type { Answering } from "../../src/start/admin.ts";
import { readDeployment } from "../../src/start/bundle.ts";
import { startSchedule } from "../../src/start/schedule.ts";
import { openSecrets, type Kept } from "../../src/start/secrets.ts";
import { seed } from "../../src/start/seed.ts";
import { checkout, parseSettings } from "../../src/start/settings.ts";
import { startAimock, usageOf, type Aimock } from "../fakes/aimock.ts";
import { adminOf, asking, callOnce } from "../fakes/caller.ts";
import { startRouter, temporaryStateDir, type Router } from "../fakes/router.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { patient } from "../setup/patience.ts";

const timeout = patient(60_000);

interface Credential {
  id: string;
  provider: string;
  name: string;
  baseUrl: string | null;
  models: { id: string }[] | null;
  updatedAt: number;
}

async function credentialsOf({ url, adminToken }: SharedRouter): Promise<Credential[]> {
  const answer = await fetch(`${url}/admin/v1/tenants/demo/credentials`, {
    headers: { authorization: `Bearer ${adminToken}` },
  });
  const { data } = (await answer.json()) as { data: Credential[] };
  return data.toSorted((a, b) => (a.provider < b.provider ? -1 : 1));
}

const answerOf = async (router: SharedRouter): Promise<unknown> =>
  (await callOnce(router, router.demoKey, asking("hello", { maxTokens: 50 }))).body;

describe("provider variables", () => {
  let aimock: Aimock;
  let ollama: Server;
  let ollamaHost: string;
  let openai: Record<string, string>;
  beforeAll(async () => {
    aimock = await startAimock([
      { match: { userMessage: "hello" }, response: { content: "Hi!", usage: usageOf(11, 7) } },
    ]);
    openai = { OPENAI_API_KEY: "sk-canary-1", OPENAI_BASE_URL: aimock.url("openai") };
    ollama = createServer((request, response) => {
      response.end(
        request.url === "/api/tags" ? JSON.stringify({ models: [{ name: "qwen3:8b" }] }) : "",
      );
    });
    await new Promise<void>((resolve) => ollama.listen(0, "127.0.0.1", resolve));
    ollamaHost = `127.0.0.1:${(ollama.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    ollama.close();
    await aimock.stop();
  });

  it(
    "become credentials at one start, and follow the variables at the next",
    { timeout },
    async () => {
      const stateDir = temporaryStateDir();
      const within = async (
        env: Record<string, string>,
        look: (router: Router) => Promise<void>,
      ): Promise<void> => {
        const router = await startRouter({ stateDir, env });
        try {
          await look(router);
        } finally {
          await router.stop();
        }
      };
      let before: Credential[] = [];

      await within({ ...openai, OLLAMA_HOST: ollamaHost }, async (router) => {
        before = await credentialsOf(router);
        expect(before).toMatchObject([
          {
            provider: "ollama",
            name: "OLLAMA_HOST",
            baseUrl: `http://${ollamaHost}/v1`,
            models: [{ id: "qwen3:8b" }],
          },
          { provider: "openai", name: "OPENAI_API_KEY", baseUrl: aimock.url("openai") },
        ]);
        expect(router.output()).toMatch(/Providers +(ollama, openai|openai, ollama)$/m);
        expect(router.output()).not.toContain("sk-canary");
      });

      await within({ ...openai, OPENAI_API_KEY: "sk-canary-2" }, async (router) => {
        const now = await credentialsOf(router);
        expect(now).toMatchObject([{ provider: "openai", id: before[1]?.id }]);
        expect(router.output()).toContain(
          "OLLAMA_HOST is no longer set, so the credential that an earlier start created from it is removed.",
        );
        expect(router.output()).not.toContain("OPENAI_API_KEY is not set");
        expect(now[0]?.updatedAt).toBeGreaterThan(before[1]?.updatedAt ?? Infinity);
        expect(await answerOf(router)).toMatchObject({ result: { content: { text: "Hi!" } } });
        const [sent] = await aimock.journal();
        expect(sent?.headers["authorization"]).toBe("Bearer sk-canary-2");
      });
    },
  );

  it(
    "of a production start go to the tenant default, and no secret is printed",
    { timeout },
    async () => {
      const stateDir = temporaryStateDir();
      const file = join(stateDir, "secrets.json");
      const production = {
        PUBLIC_URL: "https://router.example",
        DEMO: "",
        ALLOW_PRIVATE_UPSTREAMS: "true",
      };
      const started = async (env: Record<string, string>) => {
        const router = await startRouter({ stateDir, env: { ...production, ...env } });
        const { adminToken, masterKey } = JSON.parse(readFileSync(file, "utf8")) as Kept;
        const admin = adminOf(router, adminToken ?? "");
        const slugs = (await admin("GET", "/tenants")).get("data") as { slug: string }[];
        const keys = slugs.map(({ slug }) => admin("GET", `/tenants/${slug}/keys`));
        const found = {
          slugs: slugs.map(({ slug }) => slug),
          keys: (await Promise.all(keys)).map((each) => each.get("data")),
          credentials: await admin("GET", "/tenants/default/credentials"),
        };
        await router.stop();
        const text = router.output();
        for (const secret of [adminToken, masterKey, "srk_", "sk-canary"])
          expect(text).not.toContain(secret);
        expect(text).toContain(`"adminToken" in ${file}`);
        return found;
      };
      expect(await started({})).toMatchObject({ slugs: [] });
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const { slugs, keys, credentials } = await started(openai);
      expect([slugs, keys]).toEqual([["default"], [[]]]);
      expect(credentials.get("data")).toMatchObject([
        { provider: "openai", name: "OPENAI_API_KEY", baseUrl: aimock.url("openai") },
      ]);
      expect((await started({})).credentials.get("data")).toEqual([]);
    },
  );

  /** Starts after the first one: each reads what the last one kept, and asks a router that runs. */
  describe("at one start after the other", () => {
    const stateDir = temporaryStateDir();
    let router: SharedRouter;

    async function start(env: Record<string, string>) {
      const settings = parseSettings({
        ...env,
        ADMIN_TOKEN: router.adminToken,
        MASTER_KEY: Buffer.alloc(32, 5).toString("base64"),
      });
      if (!settings.ok) throw new Error(settings.error);
      const secrets = openSecrets(stateDir, settings.value);
      if (!secrets.ok) throw new Error(secrets.error);
      const answering: Answering = {
        async request(path, init) {
          const answer = await fetch(`${router.url}${path}`, init);
          return { status: answer.status, text: await answer.text() };
        },
      };
      const said: string[] = [];
      const seeded = await seed(answering, {
        secrets: secrets.value,
        providers: settings.value.providers,
        warn: (line) => said.push(line),
      });
      if (!seeded.ok) throw new Error(seeded.error);
      return { said: said.join("\n"), providers: seeded.value.providers };
    }
    const own = (method: string, id = "", body?: object) =>
      adminOf(router, router.adminToken)(method, `/tenants/demo/credentials${id}`, body);

    beforeAll(async () => {
      router = await borrowRouter();
      // The key that the router's own start has made is the one that was kept.
      const kept = { demoKey: router.demoKey, credentials: {} };
      writeFileSync(join(stateDir, "secrets.json"), JSON.stringify(kept));
    }, timeout);
    afterAll(async () => {
      // The next file finds the demo tenant as the router's own start has left it.
      for (const { id, provider } of await credentialsOf(router))
        if (provider !== "demo") await own("DELETE", `/${id}`);
      await start({});
    });

    it("are left alone while unchanged, and go", async () => {
      await start({ ...openai, OLLAMA_HOST: ollamaHost });
      const before = await credentialsOf(router);
      expect(before.map(({ provider }) => provider)).toEqual(["ollama", "openai"]);
      expect((await start({ ...openai, OLLAMA_HOST: ollamaHost })).said).toBe("");
      expect(await credentialsOf(router)).toEqual(before);

      const { said } = await start({});
      expect(await credentialsOf(router)).toMatchObject([{ provider: "demo" }]);
      expect(said).toContain("OPENAI_API_KEY is no longer set");
      expect(said).toContain("OLLAMA_HOST is no longer set");

      // The canned provider's credential goes too, and no variable has made it.
      expect((await start(openai)).said).toBe("");
      expect(await credentialsOf(router)).toMatchObject([{ provider: "openai" }]);
    });

    it("of an Ollama that is away print one line, and the demo provider answers", async () => {
      const away = await start({ OLLAMA_HOST: "127.0.0.1:9" });
      expect(away.said).toContain("OLLAMA_HOST: http://127.0.0.1:9 does not answer");
      expect(away.said.match(/OLLAMA_HOST: /g)).toHaveLength(1);
      expect(away.providers).toEqual(["demo"]);
      expect(await credentialsOf(router)).toMatchObject([{ provider: "demo" }]);
      expect(await answerOf(router)).toMatchObject({
        result: { model: expect.stringMatching(/^demo\//) as string },
      });
      await start({ ...openai, OLLAMA_HOST: "127.0.0.1:9" });
      expect(await credentialsOf(router)).toMatchObject([{ provider: "openai" }]);
    });

    it("are no reason for canned answers beside a credential of one's own", async () => {
      await start({});
      const ours = {
        name: "ours",
        provider: "openai",
        apiKey: "sk-canary-3",
        baseUrl: aimock.url("openai"),
      };
      expect((await own("POST", "", ours)).status).toBe(201);
      expect((await start({})).providers).toEqual(["openai"]);
      const found = await credentialsOf(router);
      expect(found).toMatchObject([{ provider: "openai", name: "ours" }]);
      await own("DELETE", `/${found[0]?.id}`);
      await start({});
      expect(await credentialsOf(router)).toMatchObject([{ provider: "demo" }]);
    });

    it("of an Ollama that can't be reached once leave its credential as it is", async () => {
      await start({ OLLAMA_HOST: ollamaHost });
      await start({ OLLAMA_HOST: "127.0.0.1:9" });
      expect(await credentialsOf(router)).toMatchObject([
        { provider: "demo" },
        { provider: "ollama", models: [{ id: "qwen3:8b" }] },
      ]);
    });
  });
});

describe("OLLAMA_HOST is read as Ollama reads it", () => {
  it.each([
    ["127.0.0.1:1234", "http://127.0.0.1:1234/v1"],
    ["ollama.lan", "http://ollama.lan:11434/v1"],
    ["0.0.0.0", "http://127.0.0.1:11434/v1"],
    ["[::]:1234", "http://127.0.0.1:1234/v1"],
    [":1234", "http://127.0.0.1:1234/v1"],
    ["http://ollama.lan", "http://ollama.lan/v1"],
    ["ollama.lan:80", "http://ollama.lan/v1"],
    ["https://ollama.example/base/", "https://ollama.example/base/v1"],
  ])("%s", (host, baseUrl) => {
    const settings = parseSettings({ OLLAMA_HOST: host });
    expect(settings).toMatchObject({ value: { providers: [{ baseUrl }] } });
  });
});

describe("the deployment's settings", () => {
  it("are those that wrangler reads", () => {
    const config = unstable_readConfig({ config: `${checkout}wrangler.toml` });
    expect(readDeployment(checkout)).toEqual({
      ok: true,
      value: {
        main: "src/worker.ts",
        compatibilityDate: config.compatibility_date,
        compatibilityFlags: config.compatibility_flags,
      },
    });
    expect(config.main).toBe(`${checkout}src/worker.ts`);
  });
});

describe("the schedule", () => {
  it("outlives runs that fail, each of them one line", async () => {
    let runs = 0;
    const lines: string[] = [];
    const runJobs = async (): Promise<void> => {
      runs += 1;
      if (runs % 2 === 1) throw new Error("no database");
    };
    const stop = startSchedule(runJobs, { seconds: 0.01, log: (line) => lines.push(line) });
    await expect.poll(() => runs).toBeGreaterThanOrEqual(4);
    stop();
    const after = runs;
    expect(new Set(lines)).toEqual(new Set(["The scheduled jobs failed: no database"]));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(runs).toBe(after);
  });
});
