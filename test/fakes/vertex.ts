/**
 * Vertex AI and Google's token endpoint on loopback, as strict as their pages say. Sources:
 * https://developers.google.com/identity/protocols/oauth2/service-account#httprest,
 * https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai
 */
import { createVerify, generateKeyPairSync } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "../../src/domain/json.ts";
import { refusalAt } from "./strict-wires.ts";
import { answerAt } from "./wire-answers.ts";
import { sendJson } from "./wire-server.ts";

const pair = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const pem = (key: typeof pair.privateKey): string =>
  String(key.export({ type: "pkcs8", format: "pem" }));

export const clientEmail = "router@acme.iam.gserviceaccount.com";
/** As the console downloads it. */
export const keyFile = {
  type: "service_account",
  project_id: "acme",
  private_key_id: "kid-1",
  private_key: pem(pair.privateKey),
  client_email: clientEmail,
  token_uri: "https://thief.example/token",
};
export const otherKey = pem(generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey);
const audience = "https://oauth2.googleapis.com/token";

export interface Vertex {
  baseUrl: string;
  tokenUrl: string;
  tokens: string[];
  calls: { path: string; by: string; body: JsonObject }[];
  aheadMs: number;
  revoke(): void;
  stop(): Promise<void>;
}

const partOf = (part: string | undefined): JsonObject =>
  JSON.parse(Buffer.from(part ?? "", "base64url").toString()) as JsonObject;

/** What Google says of an assertion; null: it is right. */
function problemWith(
  assertion: string,
  now: number,
): { error: string; error_description: string } | null {
  const [header, claims, signature = ""] = assertion.split(".");
  const grant = (error_description: string) => ({ error: "invalid_grant", error_description });
  if (partOf(header)["alg"] !== "RS256") return grant("Invalid JWT");
  const verified = createVerify("RSA-SHA256")
    .update(`${header}.${claims}`)
    .verify(pair.publicKey, Buffer.from(signature, "base64url"));
  if (!verified) return grant("Invalid JWT Signature.");
  const { iss, aud, iat, exp, scope } = partOf(claims);
  const [from, to] = [Number(iat) * 1_000, Number(exp) * 1_000];
  if (from > now + 300_000 || to < now || to - from > 3_600_000)
    return grant(
      "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.",
    );
  if (iss !== clientEmail || aud !== audience) return grant("Invalid issuer.");
  return scope === "https://www.googleapis.com/auth/cloud-platform"
    ? null
    : { error: "invalid_scope", error_description: "Bad scope" };
}

export async function startVertex(models: readonly string[]): Promise<Vertex> {
  const valid = new Set<string>();
  const vertex = {
    tokens: [] as string[],
    calls: [] as Vertex["calls"],
    aheadMs: 0,
  };

  function giveToken(form: URLSearchParams, response: ServerResponse): void {
    if (form.get("grant_type") !== "urn:ietf:params:oauth:grant-type:jwt-bearer")
      return sendJson(response, 400, { error: "unsupported_grant_type" });
    const problem = problemWith(form.get("assertion") ?? "", Date.now() + vertex.aheadMs);
    if (problem !== null) return sendJson(response, 400, problem);
    const token = `ya29.CANARY.${vertex.tokens.length}`;
    vertex.tokens.push(token);
    valid.add(token);
    sendJson(response, 200, { access_token: token, expires_in: 3_599, token_type: "Bearer" });
  }

  function answer(path: string, body: JsonObject, response: ServerResponse): void {
    const refuse = (code: number, status: string, message: string) =>
      sendJson(response, code, { error: { code, status, message } });
    const [, publisher = "", model = "", how = ""] =
      /^\/v1\/projects\/acme\/locations\/[\w-]+\/publishers\/(\w+)\/models\/([^/:]+):(\w+)$/.exec(
        path,
      ) ?? [];
    if (publisher === "anthropic" && model === "count-tokens")
      return models.includes(String(body["model"]))
        ? sendJson(response, 200, { input_tokens: 4_211 })
        : refuse(404, "NOT_FOUND", "Publisher Model was not found");
    if (!models.includes(model))
      return refuse(
        404,
        "NOT_FOUND",
        `Publisher Model \`${path}\` was not found or your project does not have access to it.`,
      );
    if (publisher === "google") {
      if (how !== "generateContent") return refuse(400, "INVALID_ARGUMENT", "Unknown method");
      const refusal = refusalAt("google", { body, model });
      if (refusal !== null) return sendJson(response, refusal.status, refusal.body);
      return sendJson(response, 200, answerAt("google", { text: "hello from vertex" }));
    }
    if ("model" in body)
      return refuse(400, "INVALID_ARGUMENT", "model: Extra inputs are not permitted");
    if (body["anthropic_version"] !== "vertex-2023-10-16")
      return refuse(400, "INVALID_ARGUMENT", "anthropic_version: Field required");
    const isStream = body["stream"] === true;
    if ((how === "streamRawPredict") !== isStream) return refuse(400, "INVALID_ARGUMENT", how);
    const { stream: _, anthropic_version: __, ...its } = body;
    const refusal = refusalAt("anthropic", { body: its, model: "claude-sonnet-4-5" });
    if (refusal !== null) return sendJson(response, refusal.status, refusal.body);
    sendJson(response, 200, answerAt("anthropic", { text: "hello from vertex" }));
  }

  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.once("end", () => {
      const text = Buffer.concat(parts).toString();
      const path = (request.url ?? "").split("?")[0] ?? "";
      if (path === "/token") return giveToken(new URLSearchParams(text), response);
      const by = request.headers.authorization ?? "";
      if (!valid.has(by.replace(/^Bearer /, "")) || "x-goog-api-key" in request.headers)
        return sendJson(response, 401, {
          error: {
            code: 401,
            status: "UNAUTHENTICATED",
            message: "Request had invalid authentication credentials.",
          },
        });
      const body = JSON.parse(text) as JsonObject;
      vertex.calls.push({ path, by, body });
      return answer(path, body, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(vertex, {
    baseUrl,
    tokenUrl: `${baseUrl}/token`,
    revoke: () => valid.clear(),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
