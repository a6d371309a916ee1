import type { Ids } from "../../domain/tenancy/ids.ts";
import type { CallerMemory } from "../../pipeline/callers/caller-memory.ts";
import type { LegacyServices } from "../legacy/services.ts";
import type { ModernServices } from "../modern/rounds.ts";
import type { Listeners } from "./listeners.ts";
import type { Parking } from "./parked-calls.ts";
import type { Questions } from "./questions.ts";

export interface BridgeServices extends LegacyServices, ModernServices {
  callerMemory: Pick<CallerMemory, "amend">;
  ids: Ids;
  listeners: Listeners;
  parking: Parking;
  questions: Questions;
}
