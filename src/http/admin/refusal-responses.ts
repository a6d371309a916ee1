import type { z } from "@hono/zod-openapi";
import { refusalTable, type Reason } from "../../domain/refusals.ts";
import { problemBody } from "./schemas.ts";

type Content = Record<string, { schema: z.ZodType }>;

export const problemContent: Content = { "application/problem+json": { schema: problemBody } };

/** Several refusals may share a status. */
export function refusalResponses(
  reasons: readonly Reason[],
  contentOf: (reason: Reason) => Content = () => problemContent,
): Record<string, { description: string; content: Content }> {
  const statusOf = (reason: Reason): string => String(refusalTable[reason].status);
  const groups = Object.groupBy(reasons, statusOf);
  return Object.fromEntries(
    Object.entries(groups).map(([status, sharing = []]) => [
      status,
      {
        description: sharing.map((reason) => refusalTable[reason].title).join(", or: "),
        content: Object.assign({}, ...sharing.map(contentOf)) as Content,
      },
    ]),
  );
}
