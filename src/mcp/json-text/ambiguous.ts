/** Finds messages that other parsers could read differently. */
import type { Refusal } from "../../domain/refusals.ts";
import { parsedJson } from "../../domain/json.ts";
import { certainIds } from "./certain-id.ts";
import {
  createMessageReader,
  explainFault,
  faultIn,
  withoutMark,
  type Fault,
  type Sender,
} from "./message-reader.ts";
import type { RequestId } from "./exact-ids.ts";

export function ambiguityIn(bytes: Uint8Array<ArrayBuffer>, sender: Sender): Refusal | null {
  return refusalOf(faultIn(bytes, sender));
}

function refusalOf(fault: Fault | null): Refusal | null {
  if (fault === null) return null;
  return fault.kind === "malformed"
    ? { reason: "parse_error" }
    : { reason: "invalid_request", detail: explainFault(fault) };
}

/** About 1 ms of CPU between yields. */
const sliceBytes = 64 * 1024;

/** Yields between slices, since a large text may take a tenth of a second. */
export async function ambiguityInSlices(
  bytes: Uint8Array<ArrayBuffer>,
  { sender, pause }: { sender: Sender; pause: () => Promise<void> },
): Promise<Refusal | null> {
  if (bytes.byteLength <= sliceBytes) return ambiguityIn(bytes, sender);
  const text = withoutMark(bytes);
  const reader = createMessageReader(sender);
  for (let at = 0; at < text.byteLength; at += sliceBytes) {
    const fault = reader.push(text.subarray(at, at + sliceBytes));
    if (fault !== null) return refusalOf(fault);
    await pause();
  }
  return refusalOf(reader.end());
}

/** The id of a single request; `null` if unreadable or ambiguous. */
export function idToRefuse(text: string): RequestId | null {
  if (parsedJson(text) === undefined) return null;
  const [id, ...more] = certainIds(text, "request");
  return more.length === 0 ? (id ?? null) : null;
}
