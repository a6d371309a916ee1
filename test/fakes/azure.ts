/**
 * A resource of Azure OpenAI and the token endpoint of Entra ID on loopback, as strict as their pages say.
 * Sources: https://learn.microsoft.com/azure/foundry/openai/api-version-lifecycle,
 * https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "../../src/domain/json.ts";
import { refusalAt } from "./strict-wires.ts";
import { answerAt } from "./wire-answers.ts";
import { sendJson } from "./wire-server.ts";

export const entra = {
  tenantId: "contoso.example",
  clientId: "app-1",
  clientSecret: "s3cret~CANARY",
};
export const azureKey = "azure-key-CANARY";
const scope = "https://ai.azure.com/.default";

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

export interface Azure {
  endpoint: string;
  tokenUrl: string;
  /** tokens that were given, oldest first */
  tokens: string[];
  /** bodies of calls, with the header that authenticated them */
  calls: { body: JsonObject; by: string }[];
  /** makes every token so far invalid */
  revoke(): void;
  /** what the next calls are answered, in place of an answer */
  fails(status: number, code: string, message: string): void;
  recovers(): void;
  secondsOfTokens: number;
  stop(): Promise<void>;
}

export async function startAzure(deployments: readonly string[]): Promise<Azure> {
  const valid = new Set<string>();
  let failure: { status: number; body: object } | null = null;
  const azure: Pick<Azure, "tokens" | "calls" | "secondsOfTokens"> = {
    tokens: [],
    calls: [],
    secondsOfTokens: 3_599,
  };

  function giveToken(form: URLSearchParams, response: ServerResponse): void {
    const refuse = (status: number, error: string, code: number) =>
      sendJson(response, status, {
        error,
        error_description: `AADSTS${code}: refused for ${form.get("client_secret")}`,
        error_codes: [code],
      });
    if (form.has("resource")) return refuse(400, "invalid_request", 901_002);
    if (form.get("grant_type") !== "client_credentials" || form.get("scope") !== scope)
      return refuse(400, "invalid_scope", 70_011);
    if (form.get("client_id") !== entra.clientId)
      return refuse(400, "unauthorized_client", 700_016);
    if (form.get("client_secret") !== entra.clientSecret)
      return refuse(401, "invalid_client", 7_000_215);
    const token = `eyJ.${azure.tokens.length}.CANARY`;
    azure.tokens.push(token);
    valid.add(token);
    const expires_in = azure.secondsOfTokens;
    sendJson(response, 200, {
      token_type: "Bearer",
      expires_in,
      ext_expires_in: expires_in,
      access_token: token,
    });
  }

  function complete(request: IncomingMessage, body: JsonObject, response: ServerResponse): void {
    const { authorization = "", "api-key": key } = request.headers;
    const by = key === undefined ? authorization : `api-key ${String(key)}`;
    const isKnown = key === azureKey || valid.has(authorization.replace(/^Bearer /, ""));
    const refuse = (status: number, code: string, message: string) =>
      sendJson(response, status, { error: { code, message } });
    if (!isKnown)
      return refuse(
        401,
        "401",
        "Access denied due to invalid subscription key or wrong API endpoint.",
      );
    azure.calls.push({ body, by });
    if (failure !== null) return sendJson(response, failure.status, failure.body);
    const model = String(body["model"]);
    if (!deployments.includes(model))
      return refuse(
        404,
        "DeploymentNotFound",
        "The API deployment for this resource does not exist.",
      );
    const refusal = refusalAt("openai-chat", { body, model });
    if (refusal !== null) return sendJson(response, refusal.status, refusal.body);
    sendJson(response, 200, answerAt("openai-chat", { text: "hello from azure" }));
  }

  const server = createServer((request, response) => {
    void textOf(request).then((text) => {
      const url = new URL(request.url ?? "", "http://azure.test");
      if (url.pathname === `/${entra.tenantId}/oauth2/v2.0/token`)
        return giveToken(new URLSearchParams(text), response);
      // The v1 API has no dated versions.
      if (url.pathname === "/openai/v1/chat/completions" && url.search === "")
        return complete(request, JSON.parse(text) as JsonObject, response);
      return sendJson(response, 404, { error: { code: "404", message: "Resource not found" } });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(azure, {
    endpoint,
    tokenUrl: `${endpoint}/${entra.tenantId}/oauth2/v2.0/token`,
    revoke: () => valid.clear(),
    fails(status: number, code: string, message: string) {
      failure = { status, body: { error: { code, message } } };
    },
    recovers() {
      failure = null;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
