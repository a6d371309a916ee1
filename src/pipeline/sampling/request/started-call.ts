import type { Opening } from "../../../domain/audit/record.ts";
import type { CallTurn } from "../../../domain/sampling/call-turn.ts";
import type { Observation } from "./observe.ts";
import type { SamplingRequest } from "./sampling-request.ts";

export interface StartedCall {
  turn: CallTurn;
  request: SamplingRequest;
  opening: Opening;
  observed: Observation;
}
