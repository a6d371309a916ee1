/**
 * Requests of 2026-07-28 whose results may ask for input: `modern/rounds.ts` decides what becomes of a result, and this
 * carries the texts.
 */
import { isDeeperThan, mostLevels, tooDeep } from "../../domain/depth.ts";
import { own, type JsonObject } from "../../domain/json.ts";
import { identityOf } from "../../domain/sampling/rounds.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import { parsedId } from "../../mcp/json-text/exact-ids.ts";
import { withMember } from "../../mcp/json-text/raw-json.ts";
import type { RoundSampler } from "../modern/round-sampling.ts";
import type { BeginRounds, Round, RoundAction } from "../modern/rounds.ts";
import { idKey, idTextIn } from "./line.ts";
import { errorText, wireErrorOf, type SampleFor, type WireError } from "./sampler.ts";

interface OpenRequest {
  round: Round;
  /** the client's id, as JSON text */
  idText: string;
  /** the router's error, if a sampling request of the round failed */
  failure: () => WireError | null;
  ending: AbortController;
}

export interface OpenRounds {
  /** @returns the text for the server; or the client's error */
  begin(text: string, method: string, params: JsonObject): Promise<Result<string, string>>;
  /** Whether a message answers a request that is open here. What becomes of the message then comes later. */
  take(id: string, text: string): boolean;
  /** @returns the text for the server; null: the server knows of no request that runs; undefined: no such request */
  cancel(id: string, text: string): string | null | undefined;
  end(): void;
}

export function createOpenRounds(deps: {
  beginRounds: BeginRounds;
  sample: SampleFor;
  /** random, of this process: no other process may share an answer that it paid for */
  owner: string;
  toServer: (text: string) => void;
  toClient: (text: string) => void;
  report: (thrown: unknown) => void;
}): OpenRounds {
  const { beginRounds, sample, owner, toServer, toClient, report } = deps;
  /** by the id that the server answers to */
  const open = new Map<string, OpenRequest>();

  const samplerOf = (failed: (error: WireError) => void): RoundSampler => ({
    // Every sampling request is the router's, whatever is in it.
    decode: () => err({ reason: "parse_error" }),
    async sample({ params }, { signal, replayKey }) {
      const digest = replayKey?.kind === "round" ? { idempotencyKey: replayKey.digest } : {};
      const answered = await sample(params, { signal, ...digest });
      if (answered.ok) return ok(JSON.stringify(answered.value));
      failed(answered.error);
      return err({ refusal: { reason: "cancelled" }, requestId: null });
    },
  });

  const perform = (action: RoundAction, request: OpenRequest): void => {
    const { idText, failure, ending } = request;
    if (ending.signal.aborted) return;
    if (action.kind === "send") {
      open.set(idKey(parsedId(action.idText)), request);
      toServer(action.text);
    } else if (action.kind === "deliver") toClient(action.text);
    else toClient(errorText(idText, failure() ?? wireErrorOf(action.refusal)));
  };

  /** While the router is asked, the client may still cancel by its own id. */
  const goOn = async (key: string, text: string, request: OpenRequest): Promise<void> => {
    open.delete(key);
    const waiting = `waiting ${idKey(parsedId(request.idText))}`;
    open.set(waiting, request);
    const action = await request.round
      .actOn(text, request.ending.signal)
      .catch((thrown: unknown): RoundAction => {
        report(thrown);
        return { kind: "refuse", refusal: { reason: "internal" }, requestId: null };
      });
    // The client may have cancelled, and asked anew under the same id.
    if (open.get(waiting) === request) open.delete(waiting);
    perform(action, request);
  };

  return {
    async begin(text, method, params) {
      let failure: WireError | null = null;
      const idText = idTextIn(text);
      if (isDeeperThan(params, mostLevels)) return err(errorText(idText, wireErrorOf(tooDeep)));
      const digest = identityOf(method, params);
      const about = {
        tenantId: "",
        keyId: owner,
        grantId: null,
        userId: null,
        serverId: "",
        digest,
      };
      const begun = await beginRounds(
        {
          text,
          idText,
          method,
          owner: async () => about,
          mode: "router",
          declared: {},
          callsAgain: "client",
          sealsState: false,
        },
        samplerOf((error) => (failure ??= error)),
      );
      if (!begun.ok) return err(errorText(idText, wireErrorOf(begun.error)));
      const round = begun.value;
      const ending = new AbortController();
      open.set(idKey(parsedId(idText)), { round, idText, failure: () => failure, ending });
      return ok(round.first.text);
    },
    take(id, text) {
      const request = open.get(id);
      if (request === undefined) return false;
      if (request.round.surelyHarmless(text)) {
        open.delete(id);
        return false;
      }
      void goOn(id, text, request);
      return true;
    },
    cancel(id, text) {
      for (const [key, request] of open) {
        if (idKey(parsedId(request.idText)) !== id) continue;
        open.delete(key);
        request.ending.abort();
        if (key.startsWith("waiting ")) return null;
        return withMember(text, ["params", "requestId"], key);
      }
      return undefined;
    },
    end() {
      for (const { ending } of open.values()) ending.abort();
      open.clear();
    },
  };
}

/** Whether a request says its revision itself, as those since 2026-07-28 do. */
export const saysRevision = (params: JsonObject): boolean =>
  typeof own(own(params, "_meta"), "io.modelcontextprotocol/protocolVersion") === "string";
