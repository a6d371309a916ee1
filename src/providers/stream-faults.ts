/** Faults in streams that began with status 200. */
import type { ProviderFault } from "../domain/attempts.ts";
import { own, type JsonValue } from "../domain/json.ts";
import { meaningOf } from "./fault-reach.ts";
import { errorInside, fault, networkAt, type Asked } from "./faults.ts";

/** OpenAI's error codes, which replace the stream's status 200. */
const statusOfCode: ReadonlyMap<unknown, number> = new Map([
  ["rate_limit_exceeded", 429],
  ["insufficient_quota", 429],
  ["context_length_exceeded", 400],
  ["invalid_prompt", 400],
]);

/** The fault of a stream's error event. Libraries pass the event unchanged or in a wrapper. */
export function faultOfEvent(event: unknown, asked: Asked): ProviderFault {
  const frame = own(event, "data") ?? event;
  const error = own(frame, "error") ?? own(own(frame, "response"), "error") ?? frame;
  const inside = errorInside({ error: error as JsonValue });
  if (inside === null) return fault("server", { status: 200 });
  const status = statusOfCode.get(own(error, "code")) ?? inside.status;
  const { provider, credential, model } = asked;
  const cloud = credential?.place?.cloud;
  return {
    ...fault("server"),
    ...meaningOf({ provider, cloud, model, ...inside, status }),
    status,
  };
}

/** The fault of a stream that ended before its last event. */
export const brokenOffFault = ({ credential }: Asked): ProviderFault =>
  fault("network", { status: 200, ...networkAt(credential, "connection_closed") });
