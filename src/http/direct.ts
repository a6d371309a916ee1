/**
 * Answers sampling calls and proxied messages without `fetch` objects, as `http/app.ts` would. Everything else
 * goes to the app.
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

/** Paths that need no decoding. */
const proxied = /^\/mcp\/([A-Za-z0-9_-]+)\/([A-Za-z0-9_-]+)$/;

export type DirectPlace =
  | { surface: "sampling" }
  | { surface: "proxy"; through: { tenant: string; server: string } };

/** `null` if the app must decide. */
export function directPlace(path: string): DirectPlace | null {
  if (path === "/v1/sampling") return { surface: "sampling" };
  const found = proxied.exec(path);
  return found === null
    ? null
    : { surface: "proxy", through: { tenant: found[1] ?? "", server: found[2] ?? "" } };
}

type Env = Pick<HttpEnv["Bindings"], "servicesFor" | "requestIs">;

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

/** @param fields in lower case */
const fieldsOf = (fields: Record<string, string>): Parameters<typeof protectAnswer>[0] => ({
  get: (name) => fields[name.toLowerCase()] ?? null,
  has: (name) => fields[name.toLowerCase()] !== undefined,
  set: (name, value) => void (fields[name.toLowerCase()] = value),
});
