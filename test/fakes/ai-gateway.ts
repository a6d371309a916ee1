/**
 * Cloudflare AI Gateway on loopback, with authentication. Sources:
 * https://developers.cloudflare.com/ai-gateway/configuration/authentication/,
 * https://developers.cloudflare.com/ai-gateway/usage/providers/anthropic/,
 * https://developers.cloudflare.com/ai-gateway/usage/chat-completion/, and for the refusal
 * https://github.com/cloudflare/cloudflare-docs/pull/31050
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "../../src/domain/json.ts";
import { refusalAt } from "./strict-wires.ts";
import { answerAt } from "./wire-answers.ts";
import { sendJson } from "./wire-server.ts";

export const gatewayToken = "cf-token-CANARY";

export interface AiGateway {
  /** without a provider's path */
  url: string;
  calls: { path: string; headers: IncomingHttpHeaders; body: JsonObject }[];
  stop(): Promise<void>;
}

const root = "/v1/account/gateway";
const refused = {
  name: "AiGatewayError",
  internalCode: 2009,
  message: "Unauthorized",
};

function answer(
  path: string,
  { headers, body }: { headers: IncomingHttpHeaders; body: JsonObject },
  response: ServerResponse,
): void {
  const [wire, model] =
    path === `${root}/anthropic/v1/messages`
      ? (["anthropic", "claude-sonnet-4-5"] as const)
      : path === `${root}/compat/chat/completions`
        ? (["compatible", "m"] as const)
        : [];
  if (wire === undefined) return sendJson(response, 404, { error: { message: "Not found" } });
  if (wire === "anthropic" && headers["anthropic-version"] === undefined)
    return sendJson(response, 400, { error: { message: "anthropic-version: header is required" } });
  if (wire === "compatible" && !String(body["model"]).includes("/"))
    return sendJson(response, 400, { error: { message: "model must be {provider}/{model}" } });
  const refusal = refusalAt(wire, { body, model });
  return refusal === null
    ? sendJson(response, 200, answerAt(wire, { text: "hello through the gateway" }))
    : sendJson(response, refusal.status, refusal.body);
}

export async function startAiGateway(): Promise<AiGateway> {
  const calls: AiGateway["calls"] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.once("end", () => {
      const { headers } = request;
      const path = (request.url ?? "").split("?")[0] ?? "";
      response.setHeader("cf-aig-log-id", "01JADMCQQQBWH3NXZ5GCRN98DP");
      if (headers["cf-aig-authorization"] !== `Bearer ${gatewayToken}`)
        return sendJson(response, 401, refused);
      if (request.method === "GET") return sendJson(response, 404, { error: "Not found" });
      const body = JSON.parse(Buffer.concat(parts).toString()) as JsonObject;
      calls.push({ path, headers, body });
      return answer(path, { headers, body }, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${root}`;
  return {
    url,
    calls,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
