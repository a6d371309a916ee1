/** Requests of the model endpoints, read in the turn of their callers. */
import type { JsonObject } from "../../domain/json.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import type { RequestBody } from "../../domain/passing.ts";
import { readModelRequest } from "../../mcp/json-text/model-request.ts";
import { bytesToAdmit, isPlainUtf8, messageBounds, plainJson, readBody } from "../../mcp/body.ts";
import type { Caller } from "../../pipeline/callers/authenticate.ts";
import { withoutTurn, type CallSlot } from "../../domain/sampling/call-slot.ts";
import { admitBody } from "../../pipeline/callers/body-allowance.ts";
import type { ModelServices } from "../sampling-services.ts";
import { modelClaim, modelKeyOf } from "./caller.ts";
import { type StreamedAnswer } from "./stream.ts";
import { type Answered } from "./errors.ts";

/** One request at an endpoint. */
export interface ModelRequest {
  request: Request;
  requestId: string;
  /** slug in the path; absent: the path names no tenant */
  tenant?: string | undefined;
}

/** Reads what came in the turn of its caller; the turn is the caller's to end. */
async function read(
  services: ModelServices,
  { input, token, turn }: { input: ModelRequest; token: string; turn: CallSlot },
): Promise<Result<{ bytes: RequestBody; body: JsonObject; caller: Caller }, Refusal>> {
  const claim = modelClaim(token, input.tenant);
  const admitted = await admitBody(services, claim, bytesToAdmit(input.request));
  if (!admitted.ok) return admitted;
  // The body is read out of turn, since a caller may send as slowly as it likes.
  const bytes = await turn.outside(() => readBody(input.request, messageBounds));
  const caller = await services.authenticate(claim, "memory");
  if (!caller.ok) return caller;
  if (!bytes.ok) return bytes;
  const sent = readModelRequest(bytes.value);
  if (!sent.ok) return sent;
  const body = JSON.parse(new TextDecoder().decode(sent.value.bytes)) as JsonObject;
  admitted.value();
  return ok({ bytes: sent.value, body, caller: caller.value });
}

/** A body that the router reads and a caller that it knows, given to `act` in the caller's turn. */
export async function inTurn<T extends Answered | StreamedAnswer>(
  services: ModelServices,
  input: ModelRequest,
  act: (came: {
    token: string;
    bytes: RequestBody;
    body: JsonObject;
    caller: Caller;
    turn: CallSlot | null;
  }) => Promise<Result<T, Refusal>>,
): Promise<Result<T, Refusal>> {
  const { headers } = input.request;
  const token = modelKeyOf(headers);
  if (!token.ok) return token;
  const type = headers.get("Content-Type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json" || !isPlainUtf8(headers))
    return err({ reason: "unsupported_media_type", expected: plainJson });
  const entered = await services.door.enterFor({ token: token.value, sessionId: null });
  if (!entered.ok) return entered;
  const turn = entered.value;
  try {
    const came = await read(services, { input, token: token.value, turn: turn ?? withoutTurn });
    return came.ok ? await act({ ...came.value, token: token.value, turn }) : came;
  } finally {
    turn?.end();
  }
}
