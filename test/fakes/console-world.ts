/** A tenant whose every text is an attack, with records of calls that went well and badly. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "vitest";
import { adminOf, asking, callOnce, openSession } from "./caller.ts";
import type { Router } from "./router.ts";

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
];

/** A provider with two models; one of them refuses with an attack. */
async function startProvider(): Promise<Server> {
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (part: Buffer) => (text += part.toString()));
    request.once("end", () => {
      response.setHeader("Content-Type", "application/json");
      if (request.url?.endsWith("/models") === true)
        return response.end(JSON.stringify({ object: "list", data: [{ id: "works" }] }));
      const { model } = JSON.parse(text) as { model: string };
      if (model === refusing) {
        response.statusCode = 400;
        return response.end(JSON.stringify({ error: { message: hostileProvider } }));
      }
      const message = { role: "assistant", content: hostile };
      return response.end(
        JSON.stringify({
          id: "1",
          object: "chat.completion",
          created: 0,
          model,
          choices: [{ index: 0, message, finish_reason: "stop" }],
          usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 },
        }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

export interface ConsoleWorld {
  tenant: string;
  key: string;
  keyId: string;
  providerUrl: string;
  stop(): void;
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
  const { port } = provider.address() as AddressInfo;
  const providerUrl = `http://127.0.0.1:${port}/v1`;
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
    stop: () => provider.close(),
  };
}
