/** Requests of a legacy client that its server's era doesn't have: the router keeps what they set with the session. */
import type { ClientAnswer } from "../../domain/ports/client-answer.ts";
import { own } from "../../domain/json.ts";
import type { AsyncResult, Refusal } from "../../domain/refusals.ts";
import { err } from "../../domain/result.ts";
import type { BridgeChange, Session } from "../../domain/tenancy/session.ts";
import { resultMessage } from "../../mcp/jsonrpc.ts";
import { logLevelIn, logLevels } from "../../mcp/log-levels.ts";
import type { ProxiedRequest } from "../../mcp/message.ts";
import { maxSubscriptions } from "../../mcp/translate/subscriptions.ts";
import { refuse, type Exchange } from "../exchange.ts";
import type { BridgeServices } from "./services.ts";

/** Until the client sets a level. Its era lets the server decide. */
const unaskedLogLevel = "info";
const maxUriCharacters = 2_000;

/** null: the server sends no log messages */
export const logLevelOf = ({ bridge }: Session): string | null => {
  if (bridge?.to !== "modern" || own(bridge.offers, "logging") === undefined) return null;
  return bridge.logLevel ?? unaskedLogLevel;
};

type Set = Pick<BridgeServices, "listeners" | "sessions">;

const keepLevel = async (
  { sessions }: Set,
  session: Session,
  { params }: ProxiedRequest,
): AsyncResult<null> => {
  const logLevel = logLevelIn(params["level"]);
  return logLevel === null
    ? err({ reason: "invalid_params", path: "level", detail: `One of ${logLevels.join(", ")}.` })
    : sessions.amendBridge(session, { logLevel });
};

const invalidUri = (detail: string): Refusal => ({ reason: "invalid_params", path: "uri", detail });

const subscribe =
  (wanted: true | null) =>
  async (
    services: Set,
    session: Session,
    { params }: ProxiedRequest,
    left: AbortSignal,
  ): AsyncResult<null> => {
    const { uri } = params;
    if (typeof uri !== "string" || uri.length > maxUriCharacters)
      return err(invalidUri(`A string of at most ${maxUriCharacters} characters.`));
    const known = session.bridge?.to === "modern" ? (session.bridge.subscribed ?? {}) : {};
    if (wanted === true && Object.keys(known).length >= maxSubscriptions)
      return err(invalidUri(`A session has at most ${maxSubscriptions} subscriptions.`));
    const change: BridgeChange = { subscribed: { [uri]: wanted } };
    const kept = await services.sessions.amendBridge(session, change);
    if (kept.ok) await services.listeners.changed(session.id, left);
    return kept;
  };

const handlers: Readonly<
  Record<
    string,
    {
      isOffered: (session: Session) => boolean;
      keep: (
        services: Set,
        session: Session,
        request: ProxiedRequest,
        left: AbortSignal,
      ) => AsyncResult<null>;
    }
  >
> = {
  "logging/setLevel": { isOffered: (session) => logLevelOf(session) !== null, keep: keepLevel },
  "resources/subscribe": { isOffered: (session) => maySubscribe(session), keep: subscribe(true) },
  "resources/unsubscribe": { isOffered: (session) => maySubscribe(session), keep: subscribe(null) },
};

const maySubscribe = ({ bridge }: Session): boolean =>
  bridge?.to === "modern" && own(own(bridge.offers, "resources"), "subscribe") === true;

/** null: not such a request, or the server offers nothing for it */
export async function answerForSession(
  services: Set,
  exchange: Exchange,
  { session, request }: { session: Session; request: ProxiedRequest },
): Promise<ClientAnswer | null> {
  const { id, method } = request;
  const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
  if (handler === undefined || !handler.isOffered(session)) return null;
  const kept = await handler.keep(services, session, request, exchange.left);
  return kept.ok
    ? Response.json(resultMessage(id, {}))
    : refuse(kept.error, { id, requestId: exchange.requestId });
}
