/** Finds a message that another parser could read otherwise than the router does. */
import type { Refusal } from "../../domain/refusals.ts";
import { certainIds } from "./certain-id.ts";
import { explainFault, faultIn, type Sender } from "./message-reader.ts";
import type { RequestId } from "../jsonrpc.ts";

/** null: every parser reads the same. */
export function ambiguityIn(bytes: Uint8Array<ArrayBuffer>, sender: Sender): Refusal | null {
  const fault = faultIn(bytes, sender);
  if (fault === null) return null;
  return fault.kind === "malformed"
    ? { reason: "parse_error" }
    : { reason: "invalid_request", detail: explainFault(fault) };
}

/** The id of the only request in a JSON text; null: there is none that every parser reads the same. */
export function idToRefuse(text: string): RequestId | null {
  const [id, ...more] = certainIds(text, "request");
  return more.length === 0 ? (id ?? null) : null;
}
