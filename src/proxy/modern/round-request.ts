/** A modern request whose result may ask for input. */
import type { JsonObject } from "../../domain/json.ts";
import type { SamplingMode } from "../../domain/servers/server.ts";
import type { StateOwner } from "./round-state.ts";

export interface RoundRequest {
  /** JSON text, as the server gets it, except for its rounds */
  text: string;
  /** the client's JSON-RPC id, as JSON text */
  idText: string;
  method: string;
  /** made when they are needed, since most requests have no rounds */
  owner: () => Promise<StateOwner>;
  mode: SamplingMode;
  /** what the client declared, as its revision knows it */
  declared: JsonObject;
  /** who calls again where a result has a state alone: `router` for a client that knows no rounds */
  callsAgain: "client" | "router";
  /** whether the server's own state is sealed for this caller, who shares the entry's secret with others */
  sealsState: boolean;
}
