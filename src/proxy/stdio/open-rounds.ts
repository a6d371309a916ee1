/** Carries requests of 2026-07-28 whose results may ask for input. `modern/rounds.ts` decides. */
import { isDeeperThan, maxLevels, tooDeep } from "../../domain/depth.ts";
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
  idText: string;
  /** the router's error, if a sampling request of the round failed */
  failure: () => WireError | null;
  ending: AbortController;
}

export interface OpenRounds {
  begin(text: string, method: string, params: JsonObject): Promise<Result<string, string>>;
  /** Handles a message later, if it answers a request that is open here. */
  take(id: string, text: string): boolean;
  /** @returns the text for the server; null: it has nothing to cancel; undefined: no such request */
  cancel(id: string, text: string): string | null | undefined;
  end(): void;
}

export function createOpenRounds(deps: {
  beginRounds: BeginRounds;
  sample: SampleFor;
  /** random per process, so that processes share no answers */
  owner: string;
  toServer: (text: string) => void;
  toClient: (text: string) => void;
  report: (thrown: unknown) => void;
}): OpenRounds {
  const { beginRounds, sample, owner, toServer, toClient, report } = deps;
  const open = new Map<string, OpenRequest>();

  const samplerOf = (failed: (error: WireError) => void): RoundSampler => ({
    // Every sampling request is the router's, whatever it contains.
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

  /** The client can cancel by its own id while the router samples. */
  const continueRound = async (key: string, text: string, request: OpenRequest): Promise<void> => {
    open.delete(key);
    const waiting = `waiting ${idKey(parsedId(request.idText))}`;
    open.set(waiting, request);
    const action = await request.round
      .actOn(text, request.ending.signal)
      .catch((thrown: unknown): RoundAction => {
        report(thrown);
        return { kind: "refuse", refusal: { reason: "internal" }, requestId: null };
      });
    if (open.get(waiting) === request) open.delete(waiting);
    perform(action, request);
  };

  return {
    async begin(text, method, params) {
      let failure: WireError | null = null;
      const idText = idTextIn(text);
      if (isDeeperThan(params, maxLevels)) return err(errorText(idText, wireErrorOf(tooDeep)));
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
          tasks: null,
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
      void continueRound(id, text, request);
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

/** Requests state their revision since 2026-07-28. */
export const statesRevision = (params: JsonObject): boolean =>
  typeof own(own(params, "_meta"), "io.modelcontextprotocol/protocolVersion") === "string";
