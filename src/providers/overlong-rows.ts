/** What an answer over its bound means. `fault-rows.ts` has the rows for what providers say. */
import type { FaultCode } from "../domain/attempts.ts";
import type { Meaning } from "./fault-row.ts";

/** No provider documents an answer that has no end: the rows are ours. */
const source = "docs/decisions/0014-what-is-held-is-bounded.md";

/** What was asked for where the answer was over its bound. */
export type Overlong = "text" | "media";

/**
 * A success longer than `mostAnswerBytes`, of which the rest is not read. Such an answer may have been
 * billed, so it is charged as reserved.
 *
 * Text: no model writes as much, so the endpoint is out of order. Another endpoint is asked, and
 * `domain/choice/failover.ts` asks nobody else at the same one. Media: what the next model makes of the same request
 * would be paid for too, and would most likely be as large.
 */
export const overlongRows: Readonly<
  Record<Overlong, Meaning & { code: FaultCode; source: string }>
> = {
  text: {
    kind: "malformed",
    reach: "endpoint",
    retryable: true,
    code: "answer_too_large",
    source,
  },
  media: {
    kind: "malformed",
    reach: "endpoint",
    retryable: false,
    code: "answer_too_large",
    source,
  },
};
