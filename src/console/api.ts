/** The router's own API, typed by its OpenAPI document. The session's cookie says who asks. */
import createClient from "openapi-fetch";
import type { components, paths } from "./api-types.d.ts";
import { prefix } from "./place.ts";
import { problemOf, unreachable, type Asked } from "./problem.ts";
import { csrf, sessionLost } from "./session.ts";

export type Schemas = components["schemas"];

export const api = createClient<paths>({ baseUrl: prefix, credentials: "same-origin" });

api.use({
  onRequest({ request }) {
    if (request.method !== "GET" && csrf.value !== null)
      request.headers.set("X-CSRF-Token", csrf.value);
    return request;
  },
});

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** An answer, or what went wrong. Never throws, whatever the network does. */
export async function asked<T>(answer: Promise<Answer<T>>): Promise<Asked<T>> {
  try {
    const { data, error, response } = await answer;
    if (response.ok) return { ok: true, value: data as T, tag: response.headers.get("ETag") };
    if (response.status === 401) sessionLost();
    return { ok: false, problem: problemOf(response.status, error) };
  } catch {
    return { ok: false, problem: unreachable };
  }
}
