/** `POST /v1/route`: a dry run with the params of a sampling request as body. */
import { Hono, type Context } from "hono";
import { everyCapability } from "../domain/sampling/capabilities.ts";
import { maxMessageLevels } from "../domain/depth.ts";
import type { JsonObject } from "../domain/json.ts";
import { featuresOf } from "../domain/sampling/negotiation.ts";
import type { Refusal } from "../domain/refusals.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { Codec } from "../mcp/codec.ts";
import { codecFor, isModern } from "../mcp/era.ts";
import { decodeModernMeta, modernCodec, modernRevision } from "../mcp/rev2026/codec.ts";
import type { Caller } from "../pipeline/callers/authenticate.ts";
import { bytesToAdmit, maxBodyBytes, readBody, type BodyBounds } from "../mcp/body.ts";
import { admitBody } from "../pipeline/callers/body-allowance.ts";
import { type HttpEnv } from "./context.ts";
import { bearerOf } from "../domain/tenancy/access.ts";
import { readObject } from "./json-body.ts";
import { problem } from "./problem.ts";
import { createMessageMethods } from "./sampling/create-message.ts";
import { unsupportedRevision } from "./sampling/modern.ts";

interface Reader {
  codec: Codec;
  capabilities: JsonObject;
}

/** Like `/v1/sampling`, but headers are optional. */
function modernReader(params: JsonObject, headers: Headers): Result<Reader, Refusal> {
  const sent = headers.get("MCP-Protocol-Version");
  const meta = decodeModernMeta(params);
  const requested = meta.ok ? meta.value.revision : sent;
  if (requested !== null && requested !== modernRevision)
    return err(unsupportedRevision(requested));
  if (!meta.ok) return meta;
  const differs = (header: string) =>
    err({ reason: "header_mismatch", header, missing: false } as const);
  if (sent !== null && sent !== modernRevision) return differs("MCP-Protocol-Version");
  const method = headers.get("Mcp-Method");
  if (method !== null && !createMessageMethods.includes(method)) return differs("Mcp-Method");
  return ok({ codec: modernCodec, capabilities: meta.value.capabilities });
}

/** Without a session, all capabilities count as declared in the newest revision. */
function legacyReader({ session }: Caller): Result<Reader, Refusal> {
  if (session === null) return ok({ codec: modernCodec, capabilities: everyCapability });
  const codec = codecFor(session.revision);
  return codec === null
    ? err({ reason: "session_not_found" })
    : ok({ codec, capabilities: session.capabilities });
}

const bounds: BodyBounds = { maxBytes: maxBodyBytes, maxLevels: maxMessageLevels };

async function dryRun(c: Context<HttpEnv>): Promise<Result<object, Refusal>> {
  const services = c.get("services").dryRun;
  const { authenticate, route } = services;
  const { headers } = c.req.raw;
  const claim = { token: bearerOf(c.req.header("Authorization")), scope: "sampling" } as const;
  const admitted = await admitBody(
    services,
    { ...claim, sessionId: null },
    bytesToAdmit(c.req.raw),
  );
  if (!admitted.ok) return admitted;
  const body = await readBody(c.req.raw, bounds);
  const params = body.ok ? readObject(body.value, "params") : body;
  const modern = isModern(params.ok ? params.value : {}, headers.get("MCP-Protocol-Version"));
  // Modern requests ignore the session header.
  const sessionId = modern ? null : headers.get("Mcp-Session-Id");
  const caller = await authenticate({ ...claim, sessionId }, "database");
  if (!caller.ok) return caller;
  if (!params.ok) return params;
  admitted.value();
  const reader = modern ? modernReader(params.value, headers) : legacyReader(caller.value);
  if (!reader.ok) return reader;
  const { codec, capabilities } = reader.value;
  const call = codec.decodeCall(params.value);
  if (!call.ok) return call;
  const made = route(call.value, caller.value, {
    capabilities: codec.capabilitiesOf(capabilities),
    features: featuresOf(capabilities),
  });
  if (!made.ok) return made;
  const { ignored } = made.value;
  const parameters = [...codec.unknownIn(params.value), ...ignored.parameters];
  return ok({ ...made.value, ignored: { ...ignored, parameters } });
}

export const dryRunRoutes = (): Hono<HttpEnv> =>
  new Hono<HttpEnv>()
    .post("/", async (c) => {
      const made = await dryRun(c);
      return made.ok ? c.json(made.value) : problem(c, made.error);
    })
    .all("/", (c) => problem(c, { reason: "method_not_allowed", allow: "POST" }));
