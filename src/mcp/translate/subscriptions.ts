/** Notifications of changes: a filter in 2026-07-28, capabilities and `resources/subscribe` before. */
import { isObject, own, type JsonObject } from "../../domain/json.ts";
import type { SubscriptionFilter } from "../../domain/servers/bridging.ts";
import { withMember } from "../json-text/raw-json.ts";
import { metaKey } from "../meta-key.ts";

export const listenMethod = "subscriptions/listen";
export const acknowledgedMethod = "notifications/subscriptions/acknowledged";

const subscriptionPath = ["params", "_meta", metaKey("subscriptionId")];

/** The member of a filter that asks for a notification. */
const filterFor: Readonly<Record<string, keyof SubscriptionFilter>> = {
  "notifications/tools/list_changed": "toolsListChanged",
  "notifications/prompts/list_changed": "promptsListChanged",
  "notifications/resources/list_changed": "resourcesListChanged",
  "notifications/resources/updated": "resourceSubscriptions",
};

export const isChange = (method: string): boolean => Object.hasOwn(filterFor, method);

export function isWanted(method: string, filter: SubscriptionFilter): boolean {
  const name = Object.hasOwn(filterFor, method) ? filterFor[method] : undefined;
  return name !== undefined && filter[name] !== undefined;
}

export const listenText = (id: string, filter: SubscriptionFilter): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    id,
    method: listenMethod,
    params: { notifications: filter },
  });

/** A modern server's notification for a legacy client. */
export const withoutSubscription = (message: string): string =>
  withMember(message, subscriptionPath, null);

/** A legacy server's notification for a modern client. @param idText the id of the client's request, JSON */
export function withSubscription(message: string, idText: string): string {
  const params = own(JSON.parse(message), "params");
  const whole = isObject(params) ? message : withMember(message, ["params"], "{}");
  const meta = isObject(own(params, "_meta"))
    ? whole
    : withMember(whole, ["params", "_meta"], "{}");
  return withMember(meta, subscriptionPath, idText);
}

export const acknowledgement = (filter: SubscriptionFilter, idText: string): string =>
  withSubscription(
    JSON.stringify({
      jsonrpc: "2.0",
      method: acknowledgedMethod,
      params: { notifications: filter },
    }),
    idText,
  );

/** Without the part of the filter that the tasks extension adds. */
export const withoutTaskIds = (request: string): string =>
  withMember(request, ["params", "notifications", "taskIds"], null);

export const endedText = (idText: string): string =>
  `{"jsonrpc":"2.0","id":${idText},"result":{"resultType":"complete","_meta":{${JSON.stringify(metaKey("subscriptionId"))}:${idText}}}}`;

export const maxSubscriptions = 100;

export function filterIn(params: JsonObject): SubscriptionFilter | null {
  const given = own(params, "notifications");
  if (!isObject(given)) return null;
  const uris = own(given, "resourceSubscriptions") ?? [];
  if (!Array.isArray(uris) || uris.length > maxSubscriptions) return null;
  const texts = uris.filter((uri) => typeof uri === "string");
  if (texts.length < uris.length) return null;
  return {
    ...(given["toolsListChanged"] === true && { toolsListChanged: true }),
    ...(given["promptsListChanged"] === true && { promptsListChanged: true }),
    ...(given["resourcesListChanged"] === true && { resourcesListChanged: true }),
    ...(texts.length > 0 && { resourceSubscriptions: [...new Set(texts)] }),
  };
}
