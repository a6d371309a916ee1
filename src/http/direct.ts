/**
 * Answers sampling calls, proxied messages, and calls of models without `fetch` objects, as `http/app.ts`
 * would. Everything else goes to the app.
 */
import type { ClientAnswer } from "../domain/ports/client-answer.ts";
import { isPlain } from "../domain/ports/client-answer.ts";
import type { ClientMessage } from "../domain/ports/client-message.ts";
import { bearerOf } from "../domain/tenancy/access.ts";
import { receive, routerKeyHeader } from "../proxy/receive.ts";
import { protectAnswer } from "./answer-headers.ts";
import type { HttpEnv } from "./context.ts";
import { modelKeyHeader } from "./models/caller.ts";
import { clientAnswer, modelEndpoints, type ModelPath } from "./models/endpoints.ts";
import { postModelCall } from "./models/post.ts";
import { problemOf } from "./problem.ts";
import { postSampling } from "./sampling/post.ts";

/** Below a tenant's path, refusals need a challenge, which the app adds. */
const modelPaths: ReadonlyMap<string, ModelPath> = new Map(
  (Object.keys(modelEndpoints) as ModelPath[]).map((path) => [`/v1/${path}`, path]),
);
const proxied = /^\/mcp\/([A-Za-z0-9_-]+)\/([A-Za-z0-9_-]+)$/;

export type DirectPlace =
  | { surface: "sampling" }
  | { surface: "models"; path: ModelPath }
  | { surface: "proxy"; through: { tenant: string; server: string } };

/** `null` if the app must decide. */
export function directPlace(path: string): DirectPlace | null {
  if (path === "/v1/sampling") return { surface: "sampling" };
  const model = modelPaths.get(path);
  if (model !== undefined) return { surface: "models", path: model };
  const found = proxied.exec(path);
  return found === null
    ? null
    : { surface: "proxy", through: { tenant: found[1] ?? "", server: found[2] ?? "" } };
}

type Env = Pick<HttpEnv["Bindings"], "servicesFor" | "requestIs">;
type Services = ReturnType<Env["servicesFor"]>;

export interface DirectMessage {
  /** a POST without `Origin` */
  request: ClientMessage;
  path: string;
  place: DirectPlace;
}

/** `null` if the app must look for the key. */
export function answerDirectly(env: Env, message: DirectMessage): Promise<ClientAnswer> | null {
  const { headers } = message.request;
  const token =
    headers.get(routerKeyHeader)?.trim() ??
    bearerOf(headers.get("Authorization") ?? undefined) ??
    (message.place.surface === "models" ? headers.get(modelKeyHeader)?.trim() : undefined) ??
    null;
  return token === null ? null : answered(env, { ...message, token });
}

async function answerAt(
  place: DirectPlace,
  {
    services,
    path,
    ...input
  }: Pick<DirectMessage, "request" | "path"> & { requestId: string; services: Services },
): Promise<ClientAnswer> {
  switch (place.surface) {
    case "sampling":
      return postSampling(services.sampling, input);
    case "models":
      return clientAnswer(
        await postModelCall(services.models, modelEndpoints[place.path], { ...input, url: path }),
      );
    case "proxy":
      return receive(services.proxy, {
        ...input,
        path,
        through: place.through,
        problem: (refusal) => problemOf(input.requestId, refusal),
      });
  }
}

async function answered(
  env: Env,
  { request, path, place, token }: DirectMessage & { token: string },
): Promise<ClientAnswer> {
  const services = env.servicesFor(token);
  const requestId = services.app.ids.next("request");
  env.requestIs?.(requestId);
  const answer = await answerAt(place, { request, path, requestId, services }).catch(
    (thrown: unknown) => {
      services.app.report(requestId, thrown);
      return problemOf(requestId, { reason: "internal" });
    },
  );
  if (place.surface === "proxy")
    protectAnswer(isPlain(answer) ? fieldsOf(answer.fields) : answer.headers);
  return answer;
}

const fieldsOf = (fields: Record<string, string>): Parameters<typeof protectAnswer>[0] => ({
  get: (name) => fields[name.toLowerCase()] ?? null,
  has: (name) => fields[name.toLowerCase()] !== undefined,
  set: (name, value) => void (fields[name.toLowerCase()] = value),
});
