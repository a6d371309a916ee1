import type { ProxyServices } from "../services.ts";
import type { BeginRounds } from "./rounds.ts";

/** What a message of the modern era needs besides. */
export interface ModernServices extends ProxyServices {
  rounds: BeginRounds;
}
