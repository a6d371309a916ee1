/** How a caller waits for a person: as long as it says, or for longer where it is told that it is not forgotten. */
import { own, type JsonObject } from "../../domain/json.ts";
import { usualPatienceMs } from "../../pipeline/approvals/wait.ts";

/** ms for which a stream with progress is held open. A client of the SDKs resets its own time with each. */
export const streamedPatienceMs = 900_000;
/** ms between two notifications. */
const betweenMs = 5_000;

/** `Prefer: wait=<s>` shortens the wait. Source: RFC 7240, section 4.3. */
export function patienceOf(headers: Headers): number {
  const said = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})"?/i.exec(headers.get("Prefer") ?? "");
  return said === null ? usualPatienceMs : Math.min(usualPatienceMs, Number(said[1]) * 1_000);
}

/** null: the caller asked for no progress. Source: 2025-11-25, basic/utilities/progress. */
export function progressOf(
  params: JsonObject,
  elapsed: () => number,
  notify: (message: object) => void,
): (() => void) | null {
  const progressToken = own(own(params, "_meta"), "progressToken");
  if (typeof progressToken !== "string" && typeof progressToken !== "number") return null;
  let progress = 0;
  let last = elapsed();
  return () => {
    if (elapsed() - last < betweenMs) return;
    last = elapsed();
    progress += 1;
    const message = "Waiting for a person to approve the request.";
    notify({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken, progress, message },
    });
  };
}
