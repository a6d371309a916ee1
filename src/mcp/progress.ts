/** Progress notifications keep a caller waiting (2025-11-25, basic/utilities/progress). */
import { own, type JsonObject } from "../domain/json.ts";
import { isId } from "./json-text/exact-ids.ts";

/** ms; SDK clients reset their timeout with each notification. */
export const patienceWithProgressMs = 900_000;
/** ms between notifications. */
const betweenMs = 5_000;

export const approvalMessage = "Waiting for a person to approve the request.";

export function progressOf(
  params: JsonObject,
  elapsed: () => number,
  { message, notify }: { message: string; notify: (note: object) => void },
): (() => void) | null {
  const progressToken = own(own(params, "_meta"), "progressToken");
  if (!isId(progressToken)) return null;
  let progress = 0;
  let last = elapsed();
  return () => {
    if (elapsed() - last < betweenMs) return;
    last = elapsed();
    progress += 1;
    notify({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken, progress, message },
    });
  };
}
