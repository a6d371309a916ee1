/** The router's API, typed by its OpenAPI document and authenticated by the session cookie. */
import createClient from "openapi-fetch";
import type { components, paths } from "./api-types.d.ts";
import { prefix } from "./place.ts";
import { problemOf, unreachable, type Asked, type Problem } from "./problem.ts";
import { csrf, sessionLost, signedInAgain } from "./session.ts";

export type Schemas = components["schemas"];

export const api = createClient<paths>({ baseUrl: prefix, credentials: "same-origin" });

api.use({
  onRequest({ request }) {
    if (request.method !== "GET" && csrf.value !== null)
      request.headers.set("X-CSRF-Token", csrf.value);
    return request;
  },
  // Repeats reads after a new sign-in.
  async onResponse({ request, response }) {
    let answer = response;
    while (answer.status === 401 && sessionLost() && request.method === "GET") {
      await answer.body?.cancel();
      await signedInAgain();
      answer = await fetch(request);
    }
    return answer;
  },
});

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
