/** Parameters without effect on the answer. A note about a parameter begins with the parameter's name. */
import type { JsonObject } from "../json.ts";
import { apiOf } from "../models/clouds.ts";
import type { Model } from "../models/model.ts";
import type { SamplingCall } from "../sampling/call.ts";
import type { Decision } from "./decision.ts";
import type { NegotiationRecord } from "../sampling/shaping.ts";

export interface Ignored {
  /** unknown, malformed, contradicting or overruled content negotiation tags */
  tags: string[];
  /** hints before the matching one */
  hints: string[];
  parameters: string[];
}

const metadataPrefix = "metadata.";
const routersMembers = "sampling-router/";
const maxNames = 32;
const maxCharacters = 64;

const noted =
  /^(messages|systemPrompt|temperature|maxTokens|stopSequences|tools|toolChoice|metadata\.[\w-]+)\b(?: [^:]*)?(?: left out|: \d+ option\(s\) not passed on)/;

export const shownNames = (names: Iterable<string>): string[] =>
  [...new Set([...names].map((name) => name.slice(0, maxCharacters)))].slice(0, maxNames);

/** Format or verbosity that a tenant's rule overrules, or that does not apply. */
const overruled = ({ features, format, verbosity }: NegotiationRecord): string[] =>
  features.filter((tag) => {
    const [name, value] = tag.split("=");
    return (name === "format" && value !== format) || (name === "verbosity" && value !== verbosity);
  });

type Answering = Pick<Model, "provider" | "id" | "like">;

function metadataFor(metadata: JsonObject, model: Answering): string[] {
  const used = new Set([model.provider, apiOf(model)]);
  return Object.entries(metadata).flatMap(([key, value]) =>
    value === null || used.has(key) || key.startsWith(routersMembers)
      ? []
      : [`${metadataPrefix}${key}`],
  );
}

function passedOver(hints: readonly string[], [chosen]: Decision["candidates"]): string[] {
  const followed = chosen?.matchedHint === undefined ? -1 : hints.indexOf(chosen.matchedHint);
  return followed === -1 ? [...hints] : hints.slice(0, followed);
}

export function ignoredIn({
  call,
  decision,
  answeredBy,
  notes,
}: {
  call: SamplingCall;
  decision: Decision;
  answeredBy: Answering;
  notes: readonly string[];
}): Ignored {
  const { negotiation } = decision;
  return {
    tags: negotiation === undefined ? [] : [...negotiation.ignored, ...overruled(negotiation)],
    hints: passedOver(call.hints, decision.candidates),
    parameters: shownNames([
      ...(call.includeContext === "none" ? [] : ["includeContext"]),
      ...(call.toolChoice === undefined || call.tools.length > 0 ? [] : ["toolChoice"]),
      ...metadataFor(call.metadata, answeredBy),
      ...notes.flatMap((note) => noted.exec(note)?.[1] ?? []),
    ]),
  };
}
