/**
 * A sampling call, or a proxied message, from a host that needs no `fetch` objects: what `http/app.ts` and the routes do
 * for it, and nothing for any other request.
 */
import type { ClientAnswer } from "../domain/ports/client-answer.ts";
import { isPlain } from "../domain/ports/client-answer.ts";
import type { ClientMessage } from "../domain/ports/client-message.ts";
import { bearerOf } from "../domain/tenancy/access.ts";
import { receive, routerKeyHeader } from "../proxy/receive.ts";
import { protectAnswer } from "./answer-headers.ts";
import type { HttpEnv } from "./context.ts";
import { problemOf } from "./problem.ts";
import { postSampling } from "./sampling/post.ts";

/** A path that the router of the app would give to the proxy, whatever it decodes. */
const proxied = /^\/mcp\/([A-Za-z0-9_-]+)\/([A-Za-z0-9_-]+)$/;

/** Where a path leads. */
export type DirectPlace =
  | { surface: "sampling" }
  | { surface: "proxy"; through: { tenant: string; server: string } };

/** null: the app has to look at the path. */
export function directPlace(path: string): DirectPlace | null {
  if (path === "/v1/sampling") return { surface: "sampling" };
  const found = proxied.exec(path);
  return found === null
    ? null
    : { surface: "proxy", through: { tenant: found[1] ?? "", server: found[2] ?? "" } };
}

type Env = Pick<HttpEnv["Bindings"], "servicesFor" | "requestIs">;

export interface DirectMessage {
  /** a POST from no browser's page: without `Origin` */
  request: ClientMessage;
  path: string;
  place: DirectPlace;
}

/** null: the message names no key where a client that is no browser names one, and the app has to look. */
export function answerDirectly(env: Env, message: DirectMessage): Promise<ClientAnswer> | null {
  const { headers } = message.request;
  const token =
    headers.get(routerKeyHeader)?.trim() ?? bearerOf(headers.get("Authorization") ?? undefined);
  return token === null ? null : answered(env, { ...message, token });
}

async function answered(
  env: Env,
  { request, path, place, token }: DirectMessage & { token: string },
): Promise<ClientAnswer> {
  const services = env.servicesFor(token);
  const requestId = services.app.ids.next("request");
  env.requestIs?.(requestId);
  let answer: ClientAnswer;
  try {
    answer =
      place.surface === "sampling"
        ? await postSampling(services.sampling, { request, requestId })
        : await receive(services.proxy, {
            request,
            path,
            through: place.through,
            requestId,
            problem: (refusal) => problemOf(requestId, refusal),
          });
  } catch (thrown) {
    services.app.report(requestId, thrown);
    answer = problemOf(requestId, { reason: "internal" });
  }
  if (place.surface === "proxy")
    protectAnswer(isPlain(answer) ? fieldsOf(answer.fields) : answer.headers);
  return answer;
}

/** @param fields with names in lower case */
const fieldsOf = (fields: Record<string, string>): Parameters<typeof protectAnswer>[0] => ({
  get: (name) => fields[name.toLowerCase()] ?? null,
  has: (name) => fields[name.toLowerCase()] !== undefined,
  set: (name, value) => void (fields[name.toLowerCase()] = value),
});
