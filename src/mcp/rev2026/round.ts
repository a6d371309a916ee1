/** Rounds on the wire of 2026-07-28: requests repeated and results trimmed as text. */
import type { CapabilityEdit } from "../../domain/offer.ts";
import type { RoundWire } from "../../domain/rounds.ts";
import { objectText, textAt, textsIn, withText, withoutText } from "../json-text.ts";

const capabilitiesPath = ["params", "_meta", "io.modelcontextprotocol/clientCapabilities"];
const responsesPath = ["params", "inputResponses"];
const statePath = ["params", "requestState"];

const changed = (text: string, path: readonly string[], value: string | null): string =>
  value === null ? withoutText(text, path) : withText(text, path, value);

/** A request whose client capabilities are edited where they stand. */
export const withCapabilities = (request: string, edits: readonly CapabilityEdit[]): string =>
  edits.reduce(
    (text, { path, value }) =>
      changed(
        text,
        [...capabilitiesPath, ...path],
        value === undefined ? null : JSON.stringify(value),
      ),
    request,
  );

export const roundWire: RoundWire = {
  repeated(request, { inputResponses, requestState, id }) {
    const answered = changed(request, responsesPath, inputResponses);
    const stated = changed(answered, statePath, requestState);
    return id === undefined ? stated : withText(stated, ["id"], id);
  },
  responsesOf: (request) => textsIn(request, responsesPath),
  stateSent: (request) => textAt(request, statePath),
  stateGiven: (response) => textAt(response, ["result", "requestState"]),
  remaining(response, { without, state }) {
    const trimmed = without.reduce(
      (text, key) => withoutText(text, ["result", "inputRequests", key]),
      response,
    );
    return state === null ? trimmed : withText(trimmed, ["result", "requestState"], state);
  },
  entryText: (response, key) => textAt(response, ["result", "inputRequests", key]) ?? "",
  objectText,
  withId: (response, id) => withText(response, ["id"], id),
  uncached: (response) =>
    withText(
      withText(response, ["result", "ttlMs"], "0"),
      ["result", "cacheScope"],
      JSON.stringify("private"),
    ),
};
