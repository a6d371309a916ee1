/** Answers over the size bound. */
import type { FaultCode } from "../domain/attempts.ts";
import type { Meaning } from "./fault-row.ts";

/** No provider documents endless answers. */
const source = "docs/decisions/0014-what-is-held-is-bounded.md";

export type Overlong = "text" | "media";

/**
 * Charged as reserved, since the rest is not read.
 *
 * Text: no model writes as much, so the endpoint is faulty and another is tried. Media: a retry would be billed
 * and most likely as large.
 */
export const overlongRows: Readonly<
  Record<Overlong, Meaning & { code: FaultCode; source: string }>
> = {
  text: {
    kind: "malformed",
    reach: "endpoint",
    retryable: true,
    code: "response_too_large",
    source,
  },
  media: {
    kind: "malformed",
    reach: "endpoint",
    retryable: false,
    code: "response_too_large",
    source,
  },
};
