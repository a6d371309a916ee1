/**
 * A legacy server's error that a user has to open a page first, which is a round in the client's era. The server has not run the
 * request, so the router repeats it when the client comes back, until the user has done what the page asks.
 */
import { memoize } from "../../domain/lazily.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import { supports } from "../../domain/sampling/capabilities.ts";
import { maxRounds, roundMethods, type CarriedState } from "../../domain/sampling/rounds.ts";
import type { ProxiedRequest } from "../../mcp/message.ts";
import { modernCodec, type ModernMeta } from "../../mcp/rev2026/codec.ts";
import { roundWire } from "../../mcp/rev2026/round.ts";
import { areOpened, neededPagesIn, pagesText } from "../../mcp/translate/needed-pages.ts";
import type { TranslatedMessage } from "../../mcp/translate/translated-message.ts";
import type { Exchange } from "../exchange.ts";
import { stateOwnerOf } from "../modern/message.ts";
import { isOwnState, isState, stateRefused } from "../modern/round-state.ts";
import type { BridgeServices } from "./services.ts";

/** ms between two requests while the user is at the page; together less than a client's timeout */
const pauseMs = 2_000;
const looks = 10;

export interface NeededPages {
  translate(translated: TranslatedMessage): TranslatedMessage;
  /** Whether to repeat the request, after a pause. @param answer the server's error, JSON text */
  looksAgain(answer: string, left: AbortSignal): Promise<boolean>;
  /** The result that asks the client, JSON text. */
  ask(answer: string): Promise<string>;
}

/** The router's state in a request. A legacy server gives none. */
export async function carriedIn(
  services: Pick<BridgeServices, "sha256Hex" | "states">,
  exchange: Exchange,
  request: ProxiedRequest,
): Promise<Result<CarriedState | null, Refusal>> {
  const sent = roundWire.stateSent(exchange.text);
  if (!isState(sent)) return ok(null);
  if (!isOwnState(sent)) return err(stateRefused);
  const owner = await stateOwnerOf(services, exchange, request);
  return services.states.open(owner, JSON.parse(sent) as string);
}

export function neededPagesFor(
  services: Pick<BridgeServices, "sha256Hex" | "states" | "wait">,
  exchange: Exchange,
  context: { request: ProxiedRequest; meta: ModernMeta; carried: CarriedState | null },
): Result<NeededPages, Refusal> {
  const { request, meta, carried } = context;
  const { states, wait } = services;
  const owner = memoize(() => stateOwnerOf(services, exchange, request));
  if (!areOpened(roundWire.responsesOf(exchange.text)))
    return err({ reason: "input_missing", detail: "The user didn't open the server's page." });
  const mayAsk =
    roundMethods.includes(request.method) &&
    supports(modernCodec.capabilitiesOf(meta.capabilities), "elicitation.url");
  const rounds = (carried?.rounds ?? 0) + 1;
  const idsOf = (answer: string): string =>
    JSON.stringify(neededPagesIn(answer)?.map(({ elicitationId }) => elicitationId));
  const isSame = (answer: string): boolean => carried !== null && carried.state === idsOf(answer);
  let left = looks;
  return ok({
    translate: (translated) =>
      translated.kind === "answer" &&
      mayAsk &&
      rounds <= maxRounds &&
      neededPagesIn(translated.text) !== null
        ? { kind: "asks", text: translated.text }
        : translated,
    async looksAgain(answer, signal) {
      if (!isSame(answer) || left === 0) return false;
      left -= 1;
      await wait(pauseMs, signal);
      return !signal.aborted;
    },
    async ask(answer) {
      const state = await states.wrap(await owner(), { state: idsOf(answer), answers: [], rounds });
      const pages = isSame(answer) ? [] : (neededPagesIn(answer) ?? []);
      return pagesText(JSON.stringify(request.id), pages, state);
    },
  });
}
