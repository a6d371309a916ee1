/** A tenant whose every text is an attack, with records of calls that went well and badly. */
import { expect } from "vitest";
import { adminOf, asking, callOnce, openSession } from "./caller.ts";
import type { Router } from "./router.ts";
import { answerAt } from "./wire-answers.ts";
import { sendJson, startWireServer, type WireServer } from "./wire-server.ts";

/** Where it became markup, a script would run; where it became a formula, a spreadsheet would. */
export const hostile = `<img src=x onerror="window.hostile=true">=1+1`;
/** Other words than those of the request, which would be taken out of what is kept. */
export const hostileProvider = `<svg onload="window.hostile=true">`;
const refusing = "refuses";

/** A tenant's pages in the console, below `/t/<slug>`; "" is the overview. */
export const tenantPages = [
  "",
  "/requests",
  "/approvals",
  "/alerts",
  "/usage",
  "/limits",
  "/sessions",
  "/start",
  "/playground",
  "/credentials",
  "/models",
  "/keys",
  "/people",
  "/grants",
  "/servers",
  "/policy",
  "/switches",
  "/seals",
  "/events",
  "/sign-on",
];

/** A provider with two models; one of them refuses with an attack. */
const startProvider = (): Promise<WireServer> =>
  startWireServer({
    answers({ wire, model }, response) {
      if (wire === null)
        return sendJson(response, 200, { object: "list", data: [{ id: "works" }] });
      if (model === refusing)
        return sendJson(response, 400, { error: { message: hostileProvider } });
      const said = { text: hostile, inputTokens: 1000, outputTokens: 500 };
      sendJson(response, 200, answerAt(wire, said));
    },
  });

export interface ConsoleWorld {
  tenant: string;
  key: string;
  keyId: string;
  providerUrl: string;
  stop(): Promise<void>;
}

const modelOf = (id: string) => ({
  id,
  name: hostile,
  contextTokens: 100_000,
  inputUsdPerMTok: 100,
  outputUsdPerMTok: 400,
});

export async function createConsoleWorld(router: Router): Promise<ConsoleWorld> {
  const admin = adminOf(router, router.adminToken);
  const provider = await startProvider();
  const providerUrl = provider.url("own");
  const tenant = "watched";
  const made = async (path: string, body: unknown): Promise<string> => {
    const answer = await admin("POST", path, body);
    expect([path, answer.status, answer.text]).toEqual([path, 201, answer.text]);
    return String(answer.get("key") ?? answer.get("id"));
  };
  await made("/tenants", { slug: tenant, name: hostile });
  await made(`/tenants/${tenant}/credentials`, {
    provider: "own",
    name: hostile,
    apiKey: "provider-key",
    baseUrl: providerUrl,
    models: [modelOf("works"), modelOf(refusing), { ...modelOf(`x${hostile}`) }],
  });
  await made(`/tenants/${tenant}/servers`, {
    slug: "tools",
    url: `${providerUrl}/%3Cimg%20src=x%3E`,
    sampling: "router",
  });
  await admin("PUT", `/tenants/${tenant}/policy`, {
    capture: "full",
    limits: { usdPerDay: 2, usdPerMonth: 40, requestsPerMinute: 500 },
    deniedModels: [hostile],
  });
  const newKey = await admin("POST", `/tenants/${tenant}/keys`, {
    name: hostile,
    scopes: ["sampling", "tenant-admin"],
  });
  const key = String(newKey.get("key"));
  const hinting = (name: string) =>
    asking(hostile, { modelPreferences: { hints: [{ name }, { name: hostile }] } });
  await callOnce(router, key, hinting("own/works"));
  await callOnce(router, key, hinting(`own/${refusing}`));
  const session = await openSession(router, key, {
    capabilities: { sampling: {}, experimental: { [hostile]: {} } },
  });
  await session.sample(hinting("own/works"));
  return {
    tenant,
    key,
    keyId: String(newKey.get("id")),
    providerUrl,
    stop: () => provider.stop(),
  };
}
