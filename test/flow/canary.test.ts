/** A planted provider key must appear nowhere but on the wire to its provider. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adminOf, asking, createTenant, openSession } from "../fakes/caller.ts";
import {
  faultyModes,
  startFaultyProvider,
  type FaultyMode,
  type FaultyProvider,
} from "../fakes/faulty-provider.ts";
import { borrowRouter, printedByRouter, type SharedRouter } from "../fakes/shared-router.ts";

const canary = "sk-CANARY-9f31c7d2e8b04a65";
const promptCanary = "PROMPT-CANARY-4471";
const model = { id: "gpt-canary" };
const providers = ["openai", "anthropic", "google", "openai-compatible"];

let router: SharedRouter;
let faulty: FaultyProvider;
/** every answer of any endpoint in this file */
const answers: string[] = [];

beforeAll(async () => {
  faulty = await startFaultyProvider({ slowMs: 50 });
  router = await borrowRouter();
});
afterAll(async () => {
  await faulty?.stop();
});

const keep = <T extends { text: string; headers: Headers }>(answer: T): T => {
  answers.push(`${JSON.stringify([...answer.headers])} ${answer.text}`);
  return answer;
};

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

describe.each(providers)("a key of %s", (provider) => {
  it.each(faultyModes.filter((mode) => !["silent"].includes(mode)))(
    "is in no answer when its provider is %s",
    async (mode: FaultyMode) => {
      const admin = adminOf(router, router.adminToken);
      // One tenant for each case, since failures are remembered and a refused key is not sent
      // again.
      const slug = `canary-${provider}-${mode}`;
      await createTenant(router, slug, {
        provider,
        apiKey: canary,
        baseUrl: faulty.url(provider),
        models: [model],
        policy: { deadlineMs: 3_000 },
      });
      const key = keep(
        await admin("POST", `/tenants/${slug}/keys`, { name: mode, scopes: ["sampling"] }),
      );
      faulty.setMode(mode);
      faulty.clear();
      const session = await openSession(router, String(key.get("key")));
      const answer = keep(await session.sample(asking(promptCanary)));
      expect(answer.status).toBe(200);
      // The key was really sent, so there was something to leak.
      expect(JSON.stringify(faulty.requests())).toContain(canary);
      if (mode === "fine" || mode === "slow") expect(answer.get("result.content")).toBeDefined();
      else {
        expect(answer.get("error.data.reason")).toMatch(/^provider_(failed|timeout)$/);
        expect(answer.text).not.toContain(promptCanary);
      }
      for (const path of ["", "/credentials", "/requests", "/sessions", "/keys", "/models"])
        keep(await admin("GET", `/tenants/${slug}${path}`));
      const list = await admin("GET", `/tenants/${slug}/requests?limit=1`);
      keep(await admin("GET", `/tenants/${slug}/requests/${String(list.get("data.0.id"))}`));
      const [credential] = (await admin("GET", `/tenants/${slug}/credentials`)).get("data") as {
        id: string;
      }[];
      keep(await admin("POST", `/tenants/${slug}/credentials/${credential?.id}/check`));
    },
    20_000,
  );
});

describe("afterwards", () => {
  // cites: S-054, S-056
  it("is in no answer, no log line and no table, and neither is the prompt in log or table", async () => {
    const admin = adminOf(router, router.adminToken);
    keep(await admin("GET", "/events?limit=200"));
    const tried = await admin("POST", `/tenants/canary-openai-fine/credentials`, {
      provider: "openai",
      name: "bad",
      apiKey: canary,
      nonsense: canary,
    });
    keep(tried);
    expect(tried.status).toBe(400);
    expect(answers.length).toBeGreaterThan(200);
    for (const answer of answers) expect(answer).not.toContain(canary);
    const printed = await printedByRouter();
    expect(printed).toContain('"event":"sampling"');
    expect(printed).not.toContain(canary);
    expect(printed).not.toContain(promptCanary);
    const files = filesUnder(router.stateDir);
    expect(files.some((path) => path.endsWith(".sqlite"))).toBe(true);
    for (const path of files) {
      const bytes = readFileSync(path);
      expect(bytes.includes(canary), path).toBe(false);
      expect(bytes.includes(promptCanary), path).toBe(false);
    }
  });

  it("the prompt is in no clear text even where the policy captures content", async () => {
    const admin = adminOf(router, router.adminToken);
    faulty.setMode("fine");
    await admin("PUT", "/tenants/canary-openai-fine/policy", { capture: "full" });
    const key = await admin("POST", "/tenants/canary-openai-fine/keys", {
      name: "capture",
      scopes: ["sampling"],
    });
    const session = await openSession(router, String(key.get("key")));
    const answer = await session.sample(asking(promptCanary));
    const id = String(answer.get("result._meta.sampling-router/decision.requestId"));
    const record = await admin("GET", `/tenants/canary-openai-fine/requests/${id}`);
    expect(record.get("content.params.messages.0.content.text")).toBe(promptCanary);
    expect(record.get("content.result.0.text")).toBe(answer.get("result.content.text"));
    for (const path of filesUnder(router.stateDir))
      expect(readFileSync(path).includes(promptCanary), path).toBe(false);
  });
});
