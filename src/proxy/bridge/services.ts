import type { LegacyServices } from "../legacy/services.ts";
import type { ModernServices } from "../modern/services.ts";

/** What a message needs that may cross eras. */
export type BridgeServices = LegacyServices & ModernServices;
