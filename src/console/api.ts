/** The router's API, typed by its OpenAPI document and authenticated by the session cookie. */
import type {
  HttpMethod,
  OperationRequestBodyContent,
  PathsWithMethod,
  SuccessResponseJSON,
} from "openapi-typescript-helpers";
import type { components, paths } from "./api-types.d.ts";
import { prefix, tenantHere } from "./place.ts";
import { problemOf, unreachable, type Asked, type Problem } from "./problem.ts";
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
type Input<O> = (ParametersIn<O, "path"> extends { tenant: string }
  ? Omit<ParametersIn<O, "path">, "tenant">
  : ParametersIn<O, "path">) &
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

type Member = string | number | boolean | null | undefined;
interface Given {
  readonly body?: unknown;
  readonly ifMatch?: string | null;
  readonly [member: string]: unknown;
}

/** Null and missing members of a query are left out. */
export function addressOf(path: string, input: Given = {}): string {
  const { body: _, ifMatch: _1, ...rest } = input;
  const given = rest as Record<string, Member>;
  const members: Record<string, Member> = { tenant: tenantHere(), ...given };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given))
    if (!path.includes(`{${name}}`) && value !== undefined && value !== null)
      query.set(name, String(value));
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(members[name] ?? ""),
  );
  return `${prefix}${filled}${query.size === 0 ? "" : `?${query.toString()}`}`;
}

/** Changes are not repeated: another person may have signed in. */
const notChanged: Problem = {
  status: 401,
  reason: "unauthorized",
  title: "Your session had expired",
  detail: "Nothing was changed. Submit it again.",
};

async function answerOf(response: Response): Promise<Asked<unknown>> {
  const text = await response.text();
  let value: unknown = text === "" ? undefined : text;
  try {
    value = JSON.parse(text);
  } catch {
    // Empty, or a gateway's page.
  }
  const isPage = response.headers.get("Content-Type")?.startsWith("text/html");
  if (response.ok && !isPage) return { ok: true, value, tag: response.headers.get("ETag") };
  const { status } = response;
  return { ok: false, problem: status === 401 ? notChanged : problemOf(status, value) };
}

/** Repeats reads after a new sign-in. */
async function send(method: string, path: string, input: Given = {}): Promise<Asked<unknown>> {
  const { body, ifMatch } = input;
  const isRead = method === "GET";
  const request = (): Promise<Response> =>
    fetch(addressOf(path, input), {
      method,
      credentials: "same-origin",
      headers: {
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...(!isRead && csrf.value !== null && { "X-CSRF-Token": csrf.value }),
        ...(ifMatch !== undefined && { "If-Match": ifMatch ?? "*" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  try {
    let response = await request();
    const isRefused = (): boolean => response.status === 401 && sessionLost() && isRead;
    while (isRefused()) {
      await response.body?.cancel();
      await signedInAgain();
      response = await request();
    }
    return await answerOf(response);
  } catch {
    return { ok: false, problem: unreachable };
  }
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
