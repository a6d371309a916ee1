/** Sampling for MCP servers: by the client if possible, otherwise by the router. */
import { canonicalJson } from "../../domain/canonical.ts";
import { own } from "../../domain/json.ts";
import { createAskRouter, presentKey, type RouterSettings } from "../ask-router.ts";
import { localError } from "../sampling-error.ts";
import type { ResultOf, SamplingParams, SamplingResult } from "../sampling-shapes.ts";
import { createAsking, type CreateMessageOptions, type Mode } from "./asking.ts";
import {
  isContext,
  isModern,
  type ContextV2,
  type HandlerContext,
  type SdkServer,
} from "./context.ts";
import { runRound, type Round } from "./rounds.ts";
import { createSealer } from "./sealed-state.ts";

export { SamplingError } from "../sampling-error.ts";
export type { CreateMessageOptions, Mode } from "./asking.ts";
export type { HandlerContext, SdkServer } from "./context.ts";
export type * from "../sampling-shapes.ts";

export interface HostedSamplingOptions extends RouterSettings {
  /** absent: `client-then-router` */
  mode?: Mode;
  /** Provides the client's capabilities before 2026-07-28. Absent: unknown, so the router answers. */
  server?: SdkServer;
  /** The user of the SDK's `authInfo`, to whom round state is bound. Absent: `extra.sub`, or the access token. */
  userOf?: (authInfo: object) => string | undefined;
}

/** A client may serve many users, so the access token is the fallback. */
function subjectIn(authInfo: object): string | undefined {
  const subject = own(own(authInfo, "extra"), "sub") ?? own(authInfo, "token");
  return typeof subject === "string" ? subject : undefined;
}

export interface HostedSampling {
  /** @param context the SDK's handler context @throws SamplingError */
  createMessage<P extends SamplingParams>(
    context: HandlerContext,
    params: P,
    options?: CreateMessageOptions,
  ): Promise<ResultOf<P>>;
  /** Without a context; requires the mode `router`. */
  createMessage<P extends SamplingParams>(
    params: P,
    options?: CreateMessageOptions,
  ): Promise<ResultOf<P>>;
  /**
   * Makes a handler that may ask the client in 2026-07-28. The handler runs again with each answer, so its other side
   * effects are repeated; each sampling is charged once. @returns an async handler
   */
  rounds<H extends (...args: never[]) => unknown>(handler: H): H;
}

/** Identity of a request and its user, to which state is bound. */
function requestOf(
  { mcpReq, http }: ContextV2,
  args: readonly unknown[],
  userOf: (authInfo: object) => string | undefined,
): string {
  const authInfo = http?.authInfo;
  const user = authInfo === undefined ? undefined : userOf(authInfo);
  const request = [mcpReq.method, args, own(authInfo, "clientId") ?? null, user ?? null];
  // Parsed again, because URLs are not plain objects.
  return canonicalJson(JSON.parse(JSON.stringify(request)));
}

type InContext = [HandlerContext, SamplingParams, CreateMessageOptions?];
type ByItself = [SamplingParams, CreateMessageOptions?];
const isInContext = (args: InContext | ByItself): args is InContext => isContext(args[0]);

/** @throws SamplingError without a key, which also seals round state */
export function hostedSampling(settings: HostedSamplingOptions): HostedSampling {
  const { mode = "client-then-router", server, userOf = subjectIn } = settings;
  const askRouter = createAskRouter(settings);
  const ask = createAsking({ mode, server, askRouter });
  const sealer = createSealer(presentKey(settings.key));
  /** Rounds of running handlers. */
  const running = new WeakMap<object, Round>();

  const createMessage = (...args: InContext | ByItself): Promise<SamplingResult> => {
    if (isInContext(args)) {
      const [context, params, options = {}] = args;
      const round = isModern(context) ? running.get(context.mcpReq) : undefined;
      return ask({ context, params, options, round });
    }
    if (mode === "router") return askRouter(...args);
    return Promise.reject(
      localError("client_out_of_reach", `The mode ${mode} needs the request's context.`),
    );
  };

  return {
    createMessage: createMessage as HostedSampling["createMessage"],
    rounds<H extends (...args: never[]) => unknown>(handler: H): H {
      const inRounds = async (...args: Parameters<H>): Promise<unknown> => {
        const context: unknown = args.at(-1);
        if (!isModern(context)) return handler(...args);
        const request = requestOf(context, args.slice(0, -1), userOf);
        return runRound({ context, sealer, request }, async (round) => {
          running.set(context.mcpReq, round);
          return handler(...args);
        });
      };
      return inRounds as unknown as H;
    },
  };
}
