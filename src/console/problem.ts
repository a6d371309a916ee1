import { own, parsedJson } from "../domain/json.ts";
import { capitalized } from "./format.ts";

export interface Problem {
  status: number;
  reason: string;
  title: string;
  detail: string;
  path?: string | undefined;
  /** further wrong members */
  others?: readonly Record<"path" | "detail", string>[] | undefined;
  requestId?: string | undefined;
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

const notOurs =
  "It did not come from the router. Check the gateway in front of it. You may have to sign in there.";

/** Found before anything is sent. */
export const invalid = (fault: Pick<Problem, "title" | "detail" | "path">): Asked<never> => ({
  ok: false,
  problem: { status: 0, reason: "invalid_params", ...fault },
});

/** A gateway may answer anything, so the body is validated. */
export function problemOf(status: number, body: unknown): Problem {
  const text = (name: string): string | undefined => {
    const value = own(body, name);
    return typeof value === "string" ? value : undefined;
  };
  const [path, title, others] = [text("path"), text("title"), own(body, "others")];
  // The title and member are shown separately. Without a member, the rest is a sentence.
  const detail = [title, path].reduce(
    (left, head) => (left?.startsWith(`${head}: `) ? left.slice(`${head}: `.length) : left),
    text("detail"),
  );
  return {
    status,
    reason: text("reason") ?? "unknown",
    title: title ?? `Unexpected answer: HTTP ${status}`,
    detail: (path === undefined ? detail?.replace(/^[a-z]+(?= )/, capitalized) : detail) ?? notOurs,
    path,
    others: Array.isArray(others) ? (others as Record<"path" | "detail", string>[]) : undefined,
    requestId: text("requestId"),
  };
}

/** @param sent may be answered by a gateway */
export async function answerOf(sent: Promise<Response>): Promise<Asked<unknown>> {
  try {
    const response = await sent;
    const text = await response.text();
    const value = parsedJson(text) ?? (text || undefined);
    const isPage = response.headers.get("Content-Type")?.startsWith("text/html");
    return response.ok && !isPage
      ? { ok: true, value, tag: response.headers.get("ETag") }
      : { ok: false, problem: problemOf(response.status, value) };
  } catch {
    return { ok: false, problem: unreachable };
  }
}

const advices: Readonly<Record<string, string>> = {
  precondition_failed: "This was changed since you opened it. Reload, and repeat your change.",
  forbidden: "Ask an administrator of the tenant.",
  not_found: "It may have been deleted, or belongs to another tenant.",
};

/** Advice where the router's message has none. */
export function adviceFor({ reason, status, detail, requestId }: Problem): string | null {
  if (status < 500) return advices[reason] ?? null;
  const advice = [
    !/try again/i.test(detail) && "Try again in a moment.",
    requestId !== undefined && "The router’s log has the request’s id.",
  ];
  return advice.filter(Boolean).join(" ") || null;
}
