/** Pages that a user has to open before a request. Source: 2025-11-25, "URL Elicitation Required Error"; a round in 2026-07-28. */
import { isObject, own } from "../../domain/json.ts";
import { parsedMessages } from "../json-text/exact-ids.ts";

export const pagesNeededCode = -32042;

export interface NeededPage {
  elicitationId: string;
  url: string;
  message: string;
}

const maxPages = 10;
/** The router's own entries among the input requests of a result. */
const keyPrefix = "sampling-router/page/";

/** null: another answer, or one that can't be translated */
export function neededPagesIn(answer: string): NeededPage[] | null {
  const error = own(parsedMessages(answer), "error");
  if (own(error, "code") !== pagesNeededCode) return null;
  const given = own(own(error, "data"), "elicitations");
  if (!Array.isArray(given) || given.length === 0 || given.length > maxPages) return null;
  const pages = given.flatMap((each): NeededPage[] => {
    const [elicitationId, url, message] = ["elicitationId", "url", "message"].map((name) =>
      own(each, name),
    );
    return isObject(each) &&
      typeof elicitationId === "string" &&
      typeof url === "string" &&
      typeof message === "string"
      ? [{ elicitationId, url, message }]
      : [];
  });
  return pages.length === given.length ? pages : null;
}

/** @param pages empty: the client only comes back */
export function pagesText(
  idText: string,
  pages: readonly NeededPage[],
  requestState: string,
): string {
  const entries = pages.map(({ url, message }, at) => [
    `${keyPrefix}${at}`,
    { method: "elicitation/create", params: { mode: "url", message, url } },
  ]);
  const result = {
    resultType: "input_required",
    ...(pages.length > 0 && { inputRequests: Object.fromEntries(entries) as object }),
    requestState,
  };
  return `{"jsonrpc":"2.0","id":${idText},"result":${JSON.stringify(result)}}`;
}

/** Whether the user agreed to open all pages, of the client's answers by key. */
export const areOpened = (responses: ReadonlyMap<string, string>): boolean =>
  [...responses]
    .filter(([key]) => key.startsWith(keyPrefix))
    .every(([, answer]) => own(JSON.parse(answer), "action") === "accept");
