/** The router's API, typed by its OpenAPI document and authenticated by the session cookie. */
import type { Client } from "openapi-fetch";
import type { components, paths } from "./api-types.d.ts";
import { prefix } from "./place.ts";
import { problemOf, unreachable, type Asked, type Problem } from "./problem.ts";
import { csrf, sessionLost, signedInAgain } from "./session.ts";

export type Schemas = components["schemas"];

interface Init {
  params?: { path?: Record<string, string>; query?: Record<string, unknown> };
  body?: unknown;
  headers?: Record<string, string>;
}

function addressOf(path: string, { path: members = {}, query = {} }: Init["params"] & object) {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(members[name] ?? ""),
  );
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `${prefix}${filled}${text === "" ? "" : `?${text}`}`;
}

/** Repeats reads after a new sign-in. */
const sending =
  (method: string) =>
  async (path: string, init: Init = {}) => {
    const { params = {}, body, headers } = init;
    const send = () =>
      fetch(addressOf(path, params), {
        method,
        credentials: "same-origin",
        headers: {
          ...(body !== undefined && { "Content-Type": "application/json" }),
          ...(method !== "GET" && csrf.value !== null && { "X-CSRF-Token": csrf.value }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    let response = await send();
    const isRead = method === "GET";
    const isRefused = (): boolean => response.status === 401 && sessionLost() && isRead;
    while (isRefused()) {
      await response.body?.cancel();
      await signedInAgain();
      response = await send();
    }
    const text = await response.text();
    if (response.ok)
      return { data: text === "" ? undefined : (JSON.parse(text) as unknown), response };
    let error: unknown = text;
    try {
      error = JSON.parse(text);
    } catch {
      // A gateway's page.
    }
    return { error, response };
  };

/** Only the client's types are used: its code is larger than what the console needs of it. */
export const api = Object.fromEntries(
  ["GET", "POST", "PUT", "PATCH", "DELETE"].map((method) => [method, sending(method)]),
) as unknown as Client<paths>;

/** Changes are not repeated: another person may have signed in. */
const notChanged: Problem = {
  status: 401,
  reason: "unauthorized",
  title: "Your session had expired",
  detail: "Nothing was changed. Submit it again.",
};

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

export async function asked<T>(answer: Promise<Answer<T>>): Promise<Asked<T>> {
  try {
    const { data, error, response } = await answer;
    if (response.ok) return { ok: true, value: data as T, tag: response.headers.get("ETag") };
    return {
      ok: false,
      problem: response.status === 401 ? notChanged : problemOf(response.status, error),
    };
  } catch {
    return { ok: false, problem: unreachable };
  }
}
