/** Sampling for an MCP server: asked of its client where that one can, and of the router where it can't. */
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
  /**
   * Says what the client declared, before 2026-07-28. Absent: nothing is known, and the router answers. Since
   * 2026-07-28 every request says it itself.
   */
  server?: SdkServer;
  /**
   * Whom the SDK's `authInfo` names: the state of a round is worth nothing in another user's request. Absent: `extra.sub`, or
   * else the access token.
   */
  userOf?: (authInfo: object) => string | undefined;
}

/** One client serves many people. Without a subject, the access token says whose request it is. */
function subjectIn(authInfo: object): string | undefined {
  const subject = own(own(authInfo, "extra"), "sub") ?? own(authInfo, "token");
  return typeof subject === "string" ? subject : undefined;
}

export interface HostedSampling {
  /**
   * @param context what the SDK gave to the request's handler
   * @throws SamplingError
   */
  createMessage<P extends SamplingParams>(
    context: HandlerContext,
    params: P,
    options?: CreateMessageOptions,
  ): Promise<ResultOf<P>>;
  /** Without a request's context: the mode `router` alone. */
  createMessage<P extends SamplingParams>(
    params: P,
    options?: CreateMessageOptions,
  ): Promise<ResultOf<P>>;
  /**
   * A handler that may ask the client in 2026-07-28. There a client is asked with the result, and the handler
   * runs again with the answer: what it does beside sampling is done again, and each sampling is paid for once.
   * @returns the handler, whose result is a promise in any case
   */
  rounds<H extends (...args: never[]) => unknown>(handler: H): H;
}

/** What a request is, and who asks: the state of one request is worth nothing in another. */
function requestOf(
  { mcpReq, http }: ContextV2,
  args: readonly unknown[],
  userOf: (authInfo: object) => string | undefined,
): string {
  const authInfo = http?.authInfo;
  const user = authInfo === undefined ? undefined : userOf(authInfo);
  const request = [mcpReq.method, args, own(authInfo, "clientId") ?? null, user ?? null];
  // As JSON first: a resource's address, for one, is no plain object.
  return canonicalJson(JSON.parse(JSON.stringify(request)));
}

type InContext = [HandlerContext, SamplingParams, CreateMessageOptions?];
type ByItself = [SamplingParams, CreateMessageOptions?];
const isInContext = (args: InContext | ByItself): args is InContext => isContext(args[0]);

/** @throws SamplingError without a key: the key also seals what clients carry between rounds */
export function hostedSampling(settings: HostedSamplingOptions): HostedSampling {
  const { mode = "client-then-router", server, userOf = subjectIn } = settings;
  const askRouter = createAskRouter(settings);
  const ask = createAsking({ mode, server, askRouter });
  const sealer = createSealer(presentKey(settings.key));
  /** The round of each request whose handler runs inside of `rounds`. */
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
