/** Reads requests of the model endpoints in their caller's slot. */
import type { JsonObject } from "../../domain/json.ts";
import { maxLevels } from "../../domain/depth.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import type { ClientMessage } from "../../domain/ports/client-message.ts";
import type { RequestBody } from "../../domain/passing.ts";
import { readModelRequest } from "../../mcp/json-text/model-request.ts";
import {
  bytesToAdmit,
  isPlainUtf8,
  maxBodyBytes,
  plainJson,
  readBody,
  type BodyBounds,
} from "../../mcp/body.ts";
import type { Caller } from "../../pipeline/callers/authenticate.ts";
import { unscheduled, type CallSlot } from "../../domain/sampling/call-slot.ts";
import { admitBody } from "../../pipeline/callers/body-allowance.ts";
import type { ModelServices } from "../sampling-services.ts";
import { modelClaim, modelKeyOf } from "./caller.ts";
import { type StreamedAnswer } from "./stream.ts";
import { type BufferedAnswer } from "./errors.ts";

export interface ModelRequest {
  request: ClientMessage;
  /** with its query */
  url: string;
  requestId: string;
  tenant?: string | undefined;
  /** of the caller; absent: `memory`, since admissions verify it */
  freshness?: "database";
}

/** What these bodies hold is hashed, and serialized where content is captured. */
const bounds: BodyBounds = { maxBytes: maxBodyBytes, maxLevels };

async function read(
  services: ModelServices,
  { input, token, slot }: { input: ModelRequest; token: string; slot: CallSlot },
): Promise<Result<{ bytes: RequestBody; body: JsonObject; caller: Caller }, Refusal>> {
  const claim = modelClaim(token, input.tenant);
  const admitted = await admitBody(services, claim, bytesToAdmit(input.request));
  if (!admitted.ok) return admitted;
  // The slot is released meanwhile: a caller may send as slowly as it likes.
  const bytes = await slot.outside(() => readBody(input.request, bounds));
  const caller = await services.authenticate(claim, input.freshness ?? "memory");
  if (!caller.ok) return caller;
  if (!bytes.ok) return bytes;
  const sent = readModelRequest(bytes.value);
  if (!sent.ok) return sent;
  const body = JSON.parse(new TextDecoder().decode(sent.value.bytes)) as JsonObject;
  admitted.value();
  return ok({ bytes: sent.value, body, caller: caller.value });
}

export async function inSlot<T extends BufferedAnswer | StreamedAnswer>(
  services: ModelServices,
  input: ModelRequest,
  act: (came: {
    token: string;
    bytes: RequestBody;
    body: JsonObject;
    caller: Caller;
    slot: CallSlot | null;
  }) => Promise<Result<T, Refusal>>,
): Promise<Result<T, Refusal>> {
  const { headers } = input.request;
  const token = modelKeyOf(headers);
  if (!token.ok) return token;
  const type = headers.get("Content-Type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json" || !isPlainUtf8(headers))
    return err({ reason: "unsupported_media_type", expected: plainJson });
  const entered = await services.callScheduler.enterFor({ token: token.value, sessionId: null });
  if (!entered.ok) return entered;
  const slot = entered.value;
  try {
    const came = await read(services, { input, token: token.value, slot: slot ?? unscheduled });
    return came.ok ? await act({ ...came.value, token: token.value, slot }) : came;
  } finally {
    slot?.end();
  }
}
