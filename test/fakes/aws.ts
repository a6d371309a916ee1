/**
 * Bedrock's runtime and STS on loopback, as strict as their pages say. Signatures are computed as
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html says, without the router's library.
 */
import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "../../src/domain/json.ts";
import { hostKey, operatorKey } from "../setup/shared-settings.ts";
import { awsChunk, awsException } from "./event-stream.ts";
import { refusalAt } from "./strict-wires.ts";
import { answerAt } from "./wire-answers.ts";
import { sendJson } from "./wire-server.ts";

export const bedrockKey = "bedrock-api-key-CANARY";
export const accessKey = { accessKeyId: "AKIATENANT", secretAccessKey: "aws-secret-CANARY" };
export const region = "eu-central-1";

const sha256 = (data: string | Buffer): string => createHash("sha256").update(data).digest("hex");
const hmac = (key: string | Buffer, data: string): Buffer =>
  createHmac("sha256", key).update(data).digest();

interface Signed {
  request: IncomingMessage;
  body: Buffer;
  service: string;
  secretOf: (accessKeyId: string) => string | undefined;
  now: number;
}

const timeOf = (text: string): number =>
  Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));

/** What AWS says of a signature; null: it is right. */
function problemWith({ request, body, service, secretOf, now }: Signed): string | null {
  const said =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? "",
    );
  if (said === null) return "Missing Authentication Token";
  const [, id = "", day = "", where = "", what = "", names = "", signature] = said;
  const secret = secretOf(id);
  if (secret === undefined) return "The security token included in the request is invalid.";
  const date = String(request.headers["x-amz-date"]);
  const late = Math.abs(timeOf(date) - now) > 300_000;
  if (late) return `Signature expired: ${date} is now earlier than ${new Date(now).toISOString()}`;
  if (where !== region || what !== service) return "Credential should be scoped to a valid region.";
  const [path = "", query = ""] = (request.url ?? "").split("?");
  const canonical = [
    request.method,
    path.split("/").map(encodeURIComponent).join("/"),
    query,
    ...names.split(";").map((name) => `${name}:${String(request.headers[name] ?? "").trim()}`),
    "",
    names,
    sha256(body),
  ].join("\n");
  const scope = `${day}/${where}/${what}/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", date, scope, sha256(canonical)].join("\n");
  const key = [day, where, what, "aws4_request"].reduce<Buffer>(
    (derived, part) => hmac(derived, part),
    Buffer.from(`AWS4${secret}`),
  );
  return hmac(key, text).toString("hex") === signature
    ? null
    : "The request signature we calculated does not match the signature you provided.";
}

const errorTypes: Record<string, number> = {
  AccessDenied: 403,
  SignatureDoesNotMatch: 403,
};
const sendXml = (response: ServerResponse, code: string, message: string): void => {
  response.writeHead(errorTypes[code] ?? 400, { "content-type": "text/xml" });
  response.end(
    `<ErrorResponse><Error><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
  );
};

export interface Aws {
  baseUrl: string;
  tokenUrl: string;
  calls: { path: string; by: string; text: string; body: JsonObject }[];
  /** roles that trust the operator, with the external id that they require */
  roles: Map<string, string>;
  /** ms that AWS's clock is ahead */
  aheadMs: number;
  sessions: string[];
  endSessions(): void;
  breaksStreams: boolean;
  /** answered in place of an answer */
  failure: { status: number; type: string; message: string } | null;
  stop(): Promise<void>;
}

const events = [
  {
    type: "message_start",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude",
      content: [],
      stop_reason: null,
      usage: { input_tokens: 3, output_tokens: 1 },
    },
  },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hello from " } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "bedrock" } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
  { type: "message_stop" },
];

export async function startAws(models: readonly string[]): Promise<Aws> {
  const sessionKeys = new Map<string, { secret: string; token: string }>();
  const aws = {
    calls: [] as Aws["calls"],
    roles: new Map<string, string>(),
    aheadMs: 0,
    sessions: [] as string[],
    breaksStreams: false,
    failure: null as Aws["failure"],
  };
  const secretOf = (id: string): string | undefined =>
    [accessKey, hostKey].find((key) => key.accessKeyId === id)?.secretAccessKey ??
    sessionKeys.get(id)?.secret;

  function assumeRole(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const problem = problemWith({
      request,
      body,
      service: "sts",
      secretOf: (id) => (id === operatorKey.accessKeyId ? operatorKey.secretAccessKey : undefined),
      now: Date.now() + aws.aheadMs,
    });
    if (problem !== null) return sendXml(response, "SignatureDoesNotMatch", problem);
    const form = new URLSearchParams(body.toString());
    const required = aws.roles.get(form.get("RoleArn") ?? "");
    if (required === undefined || required !== form.get("ExternalId"))
      return sendXml(response, "AccessDenied", "User is not authorized to perform: sts:AssumeRole");
    const id = `ASIA${sessionKeys.size}`;
    const its = { secret: `session-secret-CANARY-${id}`, token: `session-token-CANARY-${id}` };
    sessionKeys.set(id, its);
    aws.sessions.push(id);
    response.writeHead(200, { "content-type": "text/xml" });
    response.end(
      `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>${id}</AccessKeyId><SecretAccessKey>${its.secret}</SecretAccessKey><SessionToken>${its.token}</SessionToken><Expiration>${new Date(Date.now() + 3_600_000).toISOString()}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`,
    );
  }

  function authenticate(
    request: IncomingMessage,
    body: Buffer,
  ): { by: string } | { problem: string } {
    if (request.headers.authorization === `Bearer ${bedrockKey}`) return { by: "key" };
    const problem = problemWith({
      request,
      body,
      service: "bedrock",
      secretOf,
      now: Date.now() + aws.aheadMs,
    });
    if (problem !== null) return { problem };
    const id = /Credential=([^/]+)/.exec(request.headers.authorization ?? "")?.[1] ?? "";
    const session = sessionKeys.get(id);
    if (session !== undefined && request.headers["x-amz-security-token"] !== session.token)
      return { problem: "The security token included in the request is expired" };
    return { by: id };
  }

  /** Source: https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html */
  function invoke(path: string, body: JsonObject, response: ServerResponse): void {
    const [, encoded = "", how] =
      /^\/model\/([^/]+)\/(invoke|invoke-with-response-stream)$/.exec(path) ?? [];
    const refuse = (status: number, message: string) => sendJson(response, status, { message });
    if (!models.includes(decodeURIComponent(encoded)))
      return refuse(400, "The provided model identifier is invalid.");
    for (const member of ["model", "stream"])
      if (member in body) return refuse(400, `${member}: Extra inputs are not permitted`);
    if (body["anthropic_version"] !== "bedrock-2023-05-31")
      return refuse(400, "Invalid API version");
    const refusal = refusalAt("anthropic", { body, model: "claude-sonnet-4-5" });
    if (refusal !== null) return sendJson(response, refusal.status, refusal.body);
    if (how === "invoke")
      return sendJson(response, 200, answerAt("anthropic", { text: "hello from bedrock" }));
    response.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" });
    const whole = Buffer.concat(events.map(awsChunk));
    response.end(
      aws.breaksStreams
        ? Buffer.concat([
            ...events.slice(0, 3).map(awsChunk),
            awsException("throttlingException", "slow down"),
          ])
        : whole,
    );
  }

  /** Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html */
  function count(path: string, body: JsonObject, response: ServerResponse): void {
    const refuse = (message: string) => sendJson(response, 400, { message });
    const id = decodeURIComponent(path.split("/")[2] ?? "");
    if (!models.some((model) => model.endsWith(`.${id}`)))
      return refuse("The provided model doesn't support counting tokens.");
    const { input } = body as { input?: { invokeModel?: { body?: string } } };
    const invoked = JSON.parse(
      Buffer.from(input?.invokeModel?.body ?? "", "base64").toString(),
    ) as JsonObject;
    if (invoked["anthropic_version"] !== "bedrock-2023-05-31") return refuse("Invalid API version");
    if (typeof invoked["max_tokens"] !== "number") return refuse("max_tokens: Field required");
    sendJson(response, 200, { inputTokens: 4_211 });
  }

  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.once("end", () => {
      const body = Buffer.concat(parts);
      const path = (request.url ?? "").split("?")[0] ?? "";
      if (path === "/sts") return assumeRole(request, body, response);
      const authenticated = authenticate(request, body);
      if ("problem" in authenticated)
        return sendJson(response, 403, { message: authenticated.problem });
      const text = body.toString();
      const json = JSON.parse(text) as JsonObject;
      aws.calls.push({ path, by: authenticated.by, text, body: json });
      if (path.endsWith("/count-tokens")) return count(path, json, response);
      if (aws.failure !== null) {
        const { status, type, message } = aws.failure;
        response.setHeader("x-amzn-errortype", type);
        return sendJson(response, status, { message });
      }
      if (path.startsWith("/model/")) return invoke(path, json, response);
      if (path !== "/openai/v1/chat/completions") return sendJson(response, 404, { message: path });
      if (!models.includes(String(json["model"])))
        return sendJson(response, 400, {
          error: { message: "The provided model identifier is invalid." },
        });
      return sendJson(response, 200, answerAt("compatible", { text: "hello from bedrock" }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(aws, {
    baseUrl,
    tokenUrl: `${baseUrl}/sts`,
    endSessions: () => sessionKeys.clear(),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
