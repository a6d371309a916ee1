/** The router's API, typed by its OpenAPI document and authenticated by the session cookie. */
import type {
  HttpMethod,
  OperationRequestBodyContent,
  PathsWithMethod,
  SuccessResponseJSON,
} from "openapi-typescript-helpers";
import type { components, paths } from "./api-types.d.ts";
import { prefix, tenantHere } from "./place.ts";
import { answerOf, type Asked, type Problem } from "./problem.ts";
import { csrf, sessionLost, signedInAgain } from "./session.ts";

export type Schemas = components["schemas"];

type Operation<P extends keyof paths, M extends HttpMethod> = paths[P][M & keyof paths[P]];
type ParametersIn<O, Place extends string> = O extends { parameters: infer All }
  ? [NonNullable<All[Place & keyof All]>] extends [never]
    ? unknown
    : NonNullable<All[Place & keyof All]>
  : unknown;
type BodyOf<O> = OperationRequestBodyContent<O>;

/** Members of the path and of the query, without those of the page's tenant. */
type Input<O> = Omit<ParametersIn<O, "path">, "tenant"> &
  ParametersIn<O, "query"> &
  ([BodyOf<O>] extends [never] ? unknown : { body?: BodyOf<O> }) & {
    /** the page's by default */
    tenant?: string;
    ifMatch?: string | null;
  };
export type Inputs<O> = object extends Input<O> ? [input?: Input<O>] : [input: Input<O>];
type Result<O> = O extends Record<string | number, unknown> ? SuccessResponseJSON<O> : never;
export type Readable = PathsWithMethod<paths, "get">;
export type Read<P extends Readable> = Operation<P, "get">;
export type ReadResult<P extends Readable> = Result<Read<P>>;

type Given = Readonly<Record<string, unknown>>;

/** Null and missing members of a query are left out. */
export function addressOf(path: string, input: Given = {}): string {
  const { body: _, ifMatch: _1, ...given } = input as Record<string, string | null | undefined>;
  const asked = Object.entries(given).filter(
    ([name, value]) => !path.includes(`{${name}}`) && (value ?? null) !== null,
  );
  const query = new URLSearchParams(asked as [string, string][]).toString();
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent({ tenant: tenantHere(), ...given }[name] ?? ""),
  );
  return `${prefix}${filled}${query && `?${query}`}`;
}

/** Changes are not repeated: another person may have signed in. */
const notChanged: Problem = {
  status: 401,
  reason: "unauthorized",
  title: "Your session had expired",
  detail: "Nothing was changed. Submit it again.",
};

/** Repeats reads after a new sign-in. */
async function send(method: string, path: string, input: Given = {}): Promise<Asked<unknown>> {
  const { body, ifMatch } = input;
  const isRead = method === "GET";
  const request = async (): Promise<Response> => {
    const response = await fetch(addressOf(path, input), {
      method,
      credentials: "same-origin",
      headers: {
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...(!isRead && csrf.value !== null && { "X-CSRF-Token": csrf.value }),
        ...(ifMatch !== undefined && { "If-Match": (ifMatch as string | null) ?? "*" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const isRefused = response.status === 401 && sessionLost() && isRead;
    if (!isRefused) return response;
    await response.body?.cancel();
    await signedInAgain();
    return request();
  };
  const answer = await answerOf(request());
  return answer.ok || answer.problem.status !== 401 ? answer : { ok: false, problem: notChanged };
}

const sending =
  <M extends HttpMethod>(method: M) =>
  <P extends PathsWithMethod<paths, M>>(path: P, ...[input]: Inputs<Operation<P, M>>) =>
    send(method.toUpperCase(), path, input) as Promise<Asked<Result<Operation<P, M>>>>;

export const api = {
  GET: sending("get"),
  POST: sending("post"),
  PUT: sending("put"),
  PATCH: sending("patch"),
  DELETE: sending("delete"),
};
