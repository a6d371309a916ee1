/** The router's own API, typed by its OpenAPI document. The session's cookie says who asks. */
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
  // A page that was reading goes on reading once somebody has signed in again.
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

/** A change is left to the person, who may have signed in as somebody else. */
const notChanged: Problem = {
  status: 401,
  reason: "unauthorized",
  title: "Your session had ended",
  detail: "Nothing was changed. Send it again.",
};

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
    return {
      ok: false,
      problem: response.status === 401 ? notChanged : problemOf(response.status, error),
    };
  } catch {
    return { ok: false, problem: unreachable };
  }
}
