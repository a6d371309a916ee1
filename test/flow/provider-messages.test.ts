/** A provider's message about a failed call: kept sealed for administrators, and nowhere else. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { adminOf, asking, callOnce, createTenant, type Answered } from "../fakes/caller.ts";
import { startFaultyProvider, type FaultyProvider } from "../fakes/faulty-provider.ts";
import { borrowRouter, printedByRouter, type SharedRouter } from "../fakes/shared-router.ts";

const apiKey = "sk-CANARY-5d1f77aa90b3c2e4";
const prompt = "PROMPT-CANARY-8812";

let router: SharedRouter;
let faulty: FaultyProvider;
let admin: ReturnType<typeof adminOf>;

beforeAll(async () => {
  [router, faulty] = await Promise.all([borrowRouter(), startFaultyProvider()]);
  admin = adminOf(router, router.adminToken);
});
afterAll(() => faulty?.stop());

let made = 0;
/** One request that the provider rejects with a body that echoes it, and what the router then shows. */
async function rejected(
  policy: object,
): Promise<{ path: string; record: Answered; answer: Answered }> {
  made += 1;
  const slug = `said-${made}`;
  const { key } = await createTenant(router, slug, {
    provider: "openai",
    apiKey,
    baseUrl: faulty.url("openai"),
    models: [{ id: "gpt-said" }],
    policy,
  });
  faulty.setMode("rejected");
  const answer = await callOnce(router, key, asking(prompt));
  const id = String(answer.get("error.data.requestId"));
  const path = `/tenants/${slug}/requests`;
  return { path, answer, record: await admin("GET", `${path}/${id}`) };
}

interface Said {
  provider: string;
  model: string;
  message: string;
}
const saidIn = (record: Answered): Said[] => record.get("providerMessages") as Said[];

it("is in the record that an administrator reads, masked and short", async () => {
  const { record } = await rejected({});
  const [said, ...more] = saidIn(record);
  expect(more).toEqual([]);
  expect(said).toMatchObject({ provider: "openai", model: "gpt-said" });
  expect(said?.message).toMatch(/\S/);
  expect(said?.message.length).toBeLessThanOrEqual(500);
  expect(record.text).not.toContain(apiKey);
  // The call itself was not captured.
  expect(record.body).toMatchObject({ captured: false, content: null });
});

it("is in no answer to the caller, no list, no export, no log, and sealed in the database", async () => {
  const { path, record, answer } = await rejected({});
  const message = saidIn(record)[0]?.message ?? "";
  const telling = message.slice(0, 40);
  expect(telling.length).toBeGreaterThan(10);
  const list = await admin("GET", path);
  expect(list.get("data.0.captured")).toBe(false);
  const lines = await admin("GET", `${path}/export`);
  for (const text of [answer.text, list.text, lines.text, await printedByRouter()])
    expect(text).not.toContain(JSON.stringify(telling).slice(1, -1));
  const files = readdirSync(router.stateDir, { recursive: true, encoding: "utf8" })
    .map((name) => join(router.stateDir, name))
    .filter((file) => statSync(file).isFile());
  for (const file of files) {
    const bytes = readFileSync(file);
    for (const text of [telling, prompt, apiKey])
      expect([file, bytes.includes(text)]).toEqual([file, false]);
  }
});

it("stands beside what the policy captures", async () => {
  const { record } = await rejected({ capture: "full" });
  expect(saidIn(record)).toHaveLength(1);
  expect(record.get("captured")).toBe(true);
  expect(record.get("content.params.messages.0.content.text")).toBe(prompt);
  expect(record.get("content.providerMessages")).toBeUndefined();
});

it("is read by the caller if the policy says so, masked, and then too in no list, export or log", async () => {
  const { answer, record, path } = await rejected({ returnProviderMessages: true });
  const told = answer.get("error.data.attempts.0.message");
  expect(told).toBe(saidIn(record)[0]?.message);
  for (const secret of [apiKey, prompt]) expect(answer.text).not.toContain(secret);
  const telling = JSON.stringify(String(told).slice(0, 40)).slice(1, -1);
  const [list, lines] = [await admin("GET", path), await admin("GET", `${path}/export`)];
  for (const text of [list.text, lines.text, await printedByRouter()])
    expect(text).not.toContain(telling);
  const untold = await rejected({});
  expect(untold.answer.get("error.data.attempts.0")).not.toHaveProperty("message");
  const unkept = await rejected({ returnProviderMessages: true, providerMessages: false });
  expect(unkept.answer.get("error.data.attempts.0.message")).toMatch(/\S/);
  expect(saidIn(unkept.record)).toEqual([]);
});

it("is not kept where the policy says so", async () => {
  const { record } = await rejected({ providerMessages: false });
  expect(record.body).toMatchObject({ providerMessages: [], content: null, captured: false });
  const both = await rejected({ providerMessages: false, capture: "full" });
  expect(both.record.body).toMatchObject({ providerMessages: [], captured: true });
});
