/** Declares an admin endpoint: schemas, description, and the use case to call. */
import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { actsAs, type Actor } from "../../domain/tenancy/access.ts";
import { mayAct, reachOf, rolesFor, type AdminAction } from "../../domain/tenancy/admin-actions.ts";
import { isObject } from "../../domain/json.ts";
import type { PageRequest } from "../../domain/ports/stores.ts";
import type { AsyncResult, Reason, Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import type { IfMatch } from "../../pipeline/admin/access/editing.ts";
import type { AdminUseCases } from "../../pipeline/admin/use-cases.ts";
import { withUrlsFor } from "../../pipeline/admin/access/shown-urls.ts";
import { ownUrlAt, type HttpEnv } from "../context.ts";
import { actorOf } from "./authorise.ts";
import { problem } from "../problem.ts";
import { refusalOfForm } from "../../mcp/invalid-input.ts";
import { modelId } from "./model-names.ts";
import { provider } from "./model-schemas.ts";
import { slug } from "./schemas.ts";
import { refusalResponses } from "./refusal-responses.ts";
import { csvQuery, csvResponse, isCsvAsked, rowSchemaOf } from "./csv-list.ts";
import { entityTagOf, ifMatchOf } from "./entity-tag.ts";
import { streamOf } from "./stream.ts";

const defaultPageSize = 50;

/** Absent members instead of `undefined`. */
type Exact<T> = T extends (infer Item)[]
  ? Exact<Item>[]
  : T extends object
    ? { [Key in keyof T]: Exact<Exclude<T[Key], undefined>> }
    : T;

export function parsed<S extends z.ZodType>(
  schema: S,
  value: unknown,
): Result<Exact<z.output<S>>, Refusal> {
  const { success, data, error } = schema.safeParse(value);
  return success ? ok(data as Exact<z.output<S>>) : err(refusalOfForm(error));
}

/** Path parameters, which have the same meaning in all paths. */
const pathParams: Readonly<Record<string, z.ZodType>> = {
  tenant: slug,
  server: slug,
  id: z.string().max(200),
  provider,
  model: modelId,
};

type Method = "get" | "post" | "put" | "patch" | "delete";
type Route = `${Method} /${string}`;
type Names<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${infer Bare}{${string}` ? Bare : Name) | Names<Rest>
  : never;

interface Input<R extends Route, Q extends z.ZodType, B extends z.ZodType> {
  admin: AdminUseCases;
  actor: Actor;
  /** including a gateway's path; `null` if unknown */
  ownUrl: string | null;
  params: Record<Names<R>, string>;
  query: Exact<z.output<Q>>;
  body: Exact<z.output<B>>;
  ifMatch: IfMatch;
  now: () => number;
  /** `Last-Event-ID` of a reconnecting stream */
  lastEventId: string | null;
  /** Rechecks the permission: streams outlive keys, sessions, and roles. */
  stillMay: () => AsyncResult<Actor>;
}

export interface Endpoint<R extends Route, Q extends z.ZodType, B extends z.ZodType> {
  route: R;
  id: AdminAction;
  summary: string;
  description: string;
  query?: Q;
  body?: B;
  answer?: z.ZodType;
  /** media types of a stream; `run` may then return a `Streamed` */
  streams?: readonly string[];
  status?: 200 | 201;
  /** adds an entity tag and honors `If-Match` */
  tagged?: true;
  run: (input: Input<R, Q, B>) => Promise<Result<unknown, Refusal>>;
}

interface Described extends Omit<Endpoint<Route, z.ZodType, z.ZodType>, "run"> {
  method: Method;
  path: string;
  tag: string;
}

export interface Streamed {
  headers: Record<string, string>;
  chunks: AsyncIterable<string>;
}

const anyRefusal: readonly Reason[] = [
  "invalid_params",
  "bad_request",
  "unauthorized",
  "forbidden",
  "origin_not_allowed",
  "not_found",
  "method_not_allowed",
  "conflict",
  "precondition_failed",
  "payload_too_large",
  "unsupported_media_type",
  "rate_limited",
  "internal",
  "unavailable",
];

const problems = refusalResponses(anyRefusal);

export const adminApp = (): OpenAPIHono<HttpEnv> => {
  const app = new OpenAPIHono<HttpEnv>({
    defaultHook: (result, c) =>
      result.success ? undefined : problem(c, refusalOfForm(result.error)),
  });
  return app;
};

/** A missing body must not replace a policy by an empty one. */
const requireBody = createMiddleware<HttpEnv>(async (c, next) =>
  (await c.req.text()) === ""
    ? problem(c, { reason: "bad_request", detail: "A JSON body is required." })
    : next(),
);

const notFor = (actor: Actor, action: AdminAction): Refusal => ({
  reason: "forbidden",
  action: `the role ${actsAs(actor)} can't perform ${action}; required role: ${rolesFor(action).join(" or ")}`,
});

/** Checks the role before reading the request. */
const requireRole = (action: AdminAction) =>
  createMiddleware<HttpEnv>(async (c, next) => {
    const actor = c.get("actor");
    return mayAct(actor, action) ? next() : problem(c, notFor(actor, action));
  });

const nothing = z.object({});

/** Rejects unknown query members: a misspelled filter would match everything. */
const strictly = ({ method, query, answer }: Described): z.ZodObject => {
  const object = (query ?? nothing) as z.ZodObject;
  const isList = method === "get" && rowSchemaOf(answer) !== null;
  return (isList ? object.extend(csvQuery) : object).strict();
};

const tenantIn = (params: unknown): string | null =>
  isObject(params) && typeof params["tenant"] === "string" ? params["tenant"] : null;

const statusOf = ({ answer, streams, status }: Described): number =>
  answer === undefined && streams === undefined ? 204 : (status ?? 200);

function routeOf(spec: Described) {
  const { answer, body, streams } = spec;
  const names = [...spec.path.matchAll(/\{(\w+)/g)].map(([, name = ""]) => name);
  return createRoute({
    method: spec.method,
    path: spec.path,
    operationId: spec.id,
    tags: [spec.tag],
    summary: spec.summary,
    description: spec.description,
    security: [{ bearer: [] }, { session: [] }],
    "x-roles": rolesFor(spec.id),
    "x-reach": reachOf(spec.id),
    middleware: [requireRole(spec.id), ...(body === undefined ? [] : [requireBody])],
    request: {
      params: z.object(Object.fromEntries(names.map((name) => [name, pathParams[name]]))),
      query: strictly(spec),
      ...(body === undefined
        ? {}
        : { body: { required: true, content: { "application/json": { schema: body } } } }),
    },
    responses: {
      [statusOf(spec)]: {
        description: "Success.",
        // CSV is left out: generated clients would have to distinguish rows from text.
        ...(answer !== undefined && { content: { "application/json": { schema: answer } } }),
        ...(streams !== undefined && {
          content: Object.fromEntries(streams.map((type) => [type, { schema: z.string() }])),
        }),
      },
      ...problems,
    },
  });
}

function declare<R extends Route, Q extends z.ZodType, B extends z.ZodType>(
  app: OpenAPIHono<HttpEnv>,
  spec: Endpoint<R, Q, B> & Described,
): void {
  const { body, streams } = spec;
  const status = statusOf(spec);
  const rows = spec.method === "get" ? rowSchemaOf(spec.answer) : null;
  const handle = async (c: Context<HttpEnv>): Promise<Response> => {
    const valid = (from: "param" | "query" | "json"): unknown => c.req.valid(from as never);
    const actor = c.get("actor");
    const named = valid("param") as Record<Names<R>, string>;
    const { format, ...query } = valid("query") as Record<string, unknown>;
    const admin = await c.get("services").admin.adminFor(actor, tenantIn(named));
    if (!admin.ok) return problem(c, admin.error);
    const { sha256Hex, now } = c.get("services").admin;
    const result = await spec.run({
      admin: admin.value,
      actor,
      ownUrl: ownUrlAt(c),
      params: named,
      query: (rows === null ? valid("query") : query) as Exact<z.output<Q>>,
      body: (body === undefined ? {} : valid("json")) as Exact<z.output<B>>,
      ifMatch: ifMatchOf(c.req.header("If-Match"), sha256Hex),
      now,
      lastEventId: c.req.header("Last-Event-ID") ?? null,
      stillMay: async () => {
        const again = await actorOf(c);
        return again.ok && !mayAct(again.value, spec.id)
          ? err(notFor(again.value, spec.id))
          : again;
      },
    });
    if (!result.ok) return problem(c, result.error);
    if (streams !== undefined) {
      const { headers, chunks } = result.value as Streamed;
      return new Response(streamOf(chunks), { status, headers });
    }
    if (status === 204) return new Response(null, { status });
    const shown = withUrlsFor(actor, result.value);
    if (rows !== null && isCsvAsked(format, c.req.header("Accept")))
      return csvResponse(shown, rows, spec.path.split("/").at(-1) || spec.tag.toLowerCase());
    const answer = Response.json(shown, { status });
    if (spec.tagged === true) answer.headers.set("ETag", await entityTagOf(shown, sha256Hex));
    return answer;
  };
  // The library derives handler types from literal routes; `Endpoint` types ours.
  app.openapi(routeOf(spec), handle as never);
}

export const endpointsOf =
  (app: OpenAPIHono<HttpEnv>, tag: string) =>
  <
    const R extends Route,
    Q extends z.ZodType = typeof nothing,
    B extends z.ZodType = typeof nothing,
  >(
    spec: Endpoint<R, Q, B>,
  ): void => {
    const [method, path] = spec.route.split(" ") as [Method, string];
    declare(app, { ...spec, method, path, tag });
  };

export const pageOf = (item: z.ZodType) =>
  z.object({ data: z.array(item), nextCursor: z.string().nullable() });

export const pageRequestOf = ({
  cursor = null,
  limit = defaultPageSize,
}: {
  cursor?: string | null | undefined;
  limit?: number | undefined;
}): PageRequest => ({ cursor, limit });
