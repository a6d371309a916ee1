import { usualPatienceMs } from "../../pipeline/approvals/wait.ts";

/** `Prefer: wait=<s>` shortens the wait (RFC 7240, section 4.3). */
export function patienceOf(headers: Pick<Headers, "get">): number {
  const preference = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})"?/i.exec(headers.get("Prefer") ?? "");
  return preference === null
    ? usualPatienceMs
    : Math.min(usualPatienceMs, Number(preference[1]) * 1_000);
}
