/**
 * The parts of a call that had no effect on its answer, by name. Sentences that say why are in `notes`; a
 * sentence about a parameter begins with the parameter's name.
 */
import type { JsonObject } from "../json.ts";
import type { SamplingCall } from "../sampling/call.ts";
import type { Decision } from "./decision.ts";
import type { NegotiationRecord } from "../sampling/shaping.ts";

export interface Ignored {
  /** tags of content negotiation: unknown, malformed, contradicting an earlier tag, or overruled */
  tags: string[];
  /** hints before the one that was followed; all hints where none was */
  hints: string[];
  /** params of `sampling/createMessage`, such as `temperature` or `metadata.openai` */
  parameters: string[];
}

const metadataPrefix = "metadata.";
/** Prefix of the members of `metadata` that the router itself reads. */
const routersMembers = "sampling-router/";
const mostNames = 32;
const mostCharacters = 64;

const noted =
  /^(messages|systemPrompt|temperature|maxTokens|stopSequences|tools|toolChoice|metadata\.[\w-]+)\b(?: [^:]*)?(?: left out|: \d+ option\(s\) not passed on)/;

/** Names as a caller wrote them, shortened and limited in number. */
export const shownNames = (names: Iterable<string>): string[] =>
  [...new Set([...names].map((name) => name.slice(0, mostCharacters)))].slice(0, mostNames);

/** A format or verbosity that a rule of the tenant overruled, or that no text was there to shape with. */
const overruled = ({ features, format, verbosity }: NegotiationRecord): string[] =>
  features.filter((tag) => {
    const [name, value] = tag.split("=");
    return (name === "format" && value !== format) || (name === "verbosity" && value !== verbosity);
  });

/** Members of `metadata` that are meant for another provider than the one that answers. */
function metadataFor(metadata: JsonObject, provider: string): string[] {
  return Object.entries(metadata).flatMap(([key, value]) =>
    value === null || key === provider || key.startsWith(routersMembers)
      ? []
      : [`${metadataPrefix}${key}`],
  );
}

/** Hints that led to no model, in their order. */
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
  /** the provider that answers */
  answeredBy: string;
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
