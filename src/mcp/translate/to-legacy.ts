/** Converts a modern client's request for a legacy server, and the server's messages back, as text. */
import { own, parsedJson } from "../../domain/json.ts";
import { parsedMessages } from "../json-text/exact-ids.ts";
import { textAt, textsIn } from "../json-text/parts.ts";
import { logLevelIn, reachesLevel } from "../log-levels.ts";
import { messageIn } from "../message.ts";
import { mapElements, withMember } from "../json-text/raw-json.ts";
import { metaKey, metaPrefix } from "../meta-key.ts";
import type { TranslatedMessage } from "./translated-message.ts";

const metaPath = ["params", "_meta"];
const tokenPath = [...metaPath, "progressToken"];

/** Modern results state a cache lifetime, which legacy servers lack. */
const cacheable = new Set([
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
]);

const nothing: TranslatedMessage = { kind: "nothing" };

/** Largest number of completion values in 2026-07-28. */
const maxValues = 100;

function newerResult(message: string, method: string): string {
  const text = withMember(message, ["result", "_meta", metaKey("serverInfo")], null);
  const values = textAt(text, ["result", "completion", "values"]);
  if (method !== "completion/complete" || values === null || !values.startsWith("[")) return text;
  const first = mapElements(values, (value, index) => (index < maxValues ? value : null));
  if (first === values) return text;
  const cut = withMember(text, ["result", "completion", "values"], first);
  return withMember(cut, ["result", "completion", "hasMore"], "true");
}

export interface LegacyRequest {
  text: string;
  /** Throws on invalid JSON. */
  translate(message: string): TranslatedMessage;
}

/**
 * Requests of many clients share a session, so ids and progress tokens are replaced.
 * @param idText the new id, JSON
 */
export function legacyRequest(request: string, method: string, idText: string): LegacyRequest {
  const clientsId = textAt(request, ["id"]) ?? "null";
  const clientsToken = textAt(request, tokenPath);
  const levelText = textAt(request, [...metaPath, metaKey("logLevel")]);
  const logLevel = levelText === null ? null : logLevelIn(parsedJson(levelText));
  let text = withMember(request, ["id"], idText);
  for (const name of textsIn(request, metaPath).keys())
    if (name.startsWith(metaPrefix)) text = withMember(text, [...metaPath, name], null);
  for (const name of ["inputResponses", "requestState", "task"])
    text = withMember(text, ["params", name], null);
  if (clientsToken !== null) text = withMember(text, tokenPath, idText);

  const answer = (message: string): string => {
    const named = withMember(message, ["id"], clientsId);
    if (textAt(named, ["result"]) === null) return named;
    const complete = withMember(newerResult(named, method), ["result", "resultType"], '"complete"');
    if (!cacheable.has(method)) return complete;
    const timed = withMember(complete, ["result", "ttlMs"], "0");
    return withMember(timed, ["result", "cacheScope"], '"private"');
  };

  return {
    text,
    translate(message) {
      const value = parsedMessages(message) ?? null;
      const seen = messageIn(value);
      const failed = own(value, "error") !== undefined && (own(value, "id") ?? null) === null;
      if (failed || (seen.kind === "response" && JSON.stringify(seen.id) === idText))
        return { kind: "answer", text: answer(message) };
      if (seen.kind !== "notification") return nothing;
      const note = withMember(message, ["params", "_meta", metaKey("subscriptionId")], null);
      if (seen.method === "notifications/message")
        return logLevel !== null && reachesLevel(seen.params, logLevel)
          ? { kind: "notification", text: note }
          : nothing;
      const isOfRequest = JSON.stringify(seen.params["progressToken"] ?? null) === idText;
      if (seen.method !== "notifications/progress" || clientsToken === null || !isOfRequest)
        return nothing;
      const renamed = withMember(note, ["params", "progressToken"], clientsToken);
      return { kind: "notification", text: renamed };
    },
  };
}
