/** Rounds of 2026-07-28, edited as text. */
import type { CapabilityEdit } from "../../domain/servers/offer.ts";
import type { RoundWire } from "../../domain/sampling/rounds.ts";
import { objectText, textAt, textsIn } from "../json-text/parts.ts";
import { metaKey } from "../meta-key.ts";
import { withMember } from "../json-text/raw-json.ts";

const capabilitiesPath = ["params", "_meta", metaKey("clientCapabilities")];
const responsesPath = ["params", "inputResponses"];
const statePath = ["params", "requestState"];

export const withCapabilities = (request: string, edits: readonly CapabilityEdit[]): string =>
  edits.reduce(
    (text, { path, value }) =>
      withMember(
        text,
        [...capabilitiesPath, ...path],
        value === undefined ? null : JSON.stringify(value),
      ),
    request,
  );

/** JSON may escape the key. */
const mayName = (text: string, word: string): boolean =>
  text.includes(word) || text.includes("\\u");

export const roundWire: RoundWire = {
  repeated(request, { inputResponses, requestState, id }) {
    const answered = withMember(request, responsesPath, inputResponses);
    const stated = withMember(answered, statePath, requestState);
    return id === undefined ? stated : withMember(stated, ["id"], id);
  },
  responsesOf: (request) =>
    mayName(request, "inputResponses") ? textsIn(request, responsesPath) : new Map(),
  stateSent: (request) => (mayName(request, "requestState") ? textAt(request, statePath) : null),
  stateGiven: (response) => textAt(response, ["result", "requestState"]),
  remaining(response, { without, state }) {
    const trimmed = without.reduce(
      (text, key) => withMember(text, ["result", "inputRequests", key], null),
      response,
    );
    return state === null ? trimmed : withMember(trimmed, ["result", "requestState"], state);
  },
  entryText: (response, key) => textAt(response, ["result", "inputRequests", key]) ?? "",
  objectText,
  withId: (response, id) => withMember(response, ["id"], id),
  withTaskId: (response, id) => withMember(response, ["result", "taskId"], JSON.stringify(id)),
  uncached: (response) =>
    withMember(
      withMember(response, ["result", "ttlMs"], "0"),
      ["result", "cacheScope"],
      JSON.stringify("private"),
    ),
};
