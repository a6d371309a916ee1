interface Wrong {
  path: string;
  detail: string;
}

export interface Problem {
  status: number;
  reason: string;
  title: string;
  detail: string;
  path?: string;
  /** further wrong members */
  others?: readonly Wrong[];
  requestId?: string;
}

export type Asked<T> = { ok: true; value: T; tag: string | null } | { ok: false; problem: Problem };

/** For what needs no request. */
export const ok = <T>(value: T): Asked<T> => ({ ok: true, value, tag: null });

export const unreachable: Problem = {
  status: 0,
  reason: "unreachable",
  title: "The router does not answer",
  detail: "Check the connection and that the router is running, then try again.",
};

const capitalized = (word: string): string => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;

/** Found before anything is sent. */
export const invalid = (fault: Pick<Problem, "title" | "detail" | "path">): Asked<never> => ({
  ok: false,
  problem: { status: 0, reason: "invalid_params", ...fault },
});

const text = (value: unknown): string | undefined =>
  typeof value === "string" ? value : undefined;

/** The title and member are shown separately. Without a member, the rest is a sentence. */
function withoutHeads(detail: string, [title, path]: readonly (string | undefined)[]): string {
  const rest = [title, path].reduce<string>(
    (left, head) =>
      head !== undefined && left.startsWith(`${head}: `) ? left.slice(head.length + 2) : left,
    detail,
  );
  return path === undefined ? rest.replace(/^[a-z]+(?= )/, capitalized) : rest;
}

/** A gateway may answer anything, so the body is validated. */
export function problemOf(status: number, body: unknown): Problem {
  const members =
    typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  const path = text(members["path"]);
  const requestId = text(members["requestId"]);
  const title = text(members["title"]) ?? `Unexpected answer: HTTP ${status}`;
  const detail = text(members["detail"]);
  const { others } = members;
  return {
    status,
    reason: text(members["reason"]) ?? "unknown",
    title,
    detail:
      detail === undefined
        ? "It did not come from the router. Check the gateway in front of it. You may have to sign in there."
        : withoutHeads(detail, [title, path]),
    ...(path !== undefined && { path }),
    ...(Array.isArray(others) && { others: others as Wrong[] }),
    ...(requestId !== undefined && { requestId }),
  };
}

/** Advice where the router's message has none. */
export function adviceFor({ reason, status, detail, requestId }: Problem): string | null {
  if (reason === "precondition_failed")
    return "This was changed since you opened it. Reload, and repeat your change.";
  if (reason === "forbidden") return "Ask an administrator of the tenant.";
  if (reason === "not_found") return "It may have been deleted, or belongs to another tenant.";
  if (status < 500) return null;
  const advices = [
    !/try again/i.test(detail) && "Try again in a moment.",
    requestId !== undefined && "The router’s log has the request’s id.",
  ];
  return advices.filter(Boolean).join(" ") || null;
}
