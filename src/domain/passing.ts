import { concatenated } from "./bytes.ts";
import { isObject, own, parsedJson } from "./json.ts";
import type { ModelEndpointName } from "./model-endpoint.ts";

type Bytes = Uint8Array<ArrayBuffer>;

export interface Span {
  start: number;
  end: number;
}

/** The client's JSON object, unchanged. `values` has the byte range of each value that the router reads. */
export interface RequestBody {
  bytes: Bytes;
  membersStart: number;
  isEmpty: boolean;
  values: ReadonlyMap<string, Span>;
}

/** A request for a provider that speaks the endpoint's own wire, so it isn't translated. */
export interface PassedRequest {
  endpoint: ModelEndpointName;
  body: RequestBody;
  headers: Readonly<Record<string, string>>;
  /** the client's query parameters that the provider needs, with the question mark */
  query?: string;
  /** whether to add a token limit if the request has none */
  addsLimit: boolean;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export const valueText = ({ bytes, values }: RequestBody, name: string): string | null => {
  const span = values.get(name);
  return span === undefined ? null : decoder.decode(bytes.subarray(span.start, span.end));
};

const [quote, openBrace] = [34, 123];
const blanks: ReadonlySet<number> = new Set([9, 10, 13, 32]);

/** The span of a member's name and value, with the comma before them if there is one. */
function memberSpan(
  { bytes, membersStart }: RequestBody,
  value: Span,
): Span & { isFirst: boolean } {
  const end = bytes.lastIndexOf(quote, value.start - 1);
  let start = bytes.lastIndexOf(quote, end - 1) - 1;
  while (blanks.has(bytes[start] ?? 0)) start -= 1;
  const isFirst = bytes[start] === openBrace;
  return { start: isFirst ? membersStart : start, end: value.end, isFirst };
}

/**
 * The body with `members` set. Members that the body doesn't have are added at its start.
 * @param members values as JSON text
 * @param removed requires a new member in `members`, since the comma after a removed first member stays
 */
export function withMembers(
  body: RequestBody,
  members: Readonly<Record<string, string>>,
  removed: readonly string[] = [],
): Bytes {
  const { bytes, membersStart, isEmpty, values } = body;
  const edits: { span: Span; text: string }[] = [];
  let added = "";
  for (const [name, text] of Object.entries(members)) {
    const span = removed.includes(name) ? undefined : values.get(name);
    if (span === undefined) added += `${added === "" ? "" : ","}${JSON.stringify(name)}:${text}`;
    else edits.push({ span, text });
  }
  const removedSpans = removed.flatMap((name) => {
    const span = values.get(name);
    return span === undefined ? [] : [memberSpan(body, span)];
  });
  const needsComma = !isEmpty && !removedSpans.some(({ isFirst }) => isFirst);
  if (added !== "")
    edits.push({
      span: { start: membersStart, end: membersStart },
      text: needsComma ? `${added},` : added,
    });
  edits.push(...removedSpans.map((span) => ({ span, text: "" })));
  if (edits.length === 0) return bytes;
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { span, text } of edits.toSorted((a, b) => a.span.start - b.span.start)) {
    parts.push(bytes.subarray(at, span.start), encoder.encode(text));
    at = span.end;
  }
  return concatenated([...parts, bytes.subarray(at)]);
}

/** The members of each wire that limit the answer's tokens. */
const limitNames = {
  messages: ["max_tokens"],
  responses: ["max_output_tokens"],
  "chat.completions": ["max_completion_tokens", "max_tokens"],
} as const satisfies Record<ModelEndpointName, readonly string[]>;

/** OpenAI's reasoning models refuse `max_tokens`, and most other servers of this wire don't know `max_completion_tokens`. */
const addedLimitName = (endpoint: ModelEndpointName, provider: string): string =>
  endpoint === "chat.completions" && provider !== "openai" ? "max_tokens" : limitNames[endpoint][0];

/** New values for limits above `maxTokens`, and for a missing limit. A limit of `null` counts as missing. */
function changedLimits(
  { endpoint, body, addsLimit }: PassedRequest,
  { provider, maxTokens }: { provider: string; maxTokens: number },
): Record<string, string> {
  const set = limitNames[endpoint].flatMap((name) => {
    const limit = parsedJson(valueText(body, name) ?? "null");
    return typeof limit === "number" ? [{ name, limit }] : [];
  });
  if (set.length === 0)
    return addsLimit ? { [addedLimitName(endpoint, provider)]: String(maxTokens) } : {};
  const tooLarge = set.filter(({ limit }) => limit > maxTokens);
  return Object.fromEntries(tooLarge.map(({ name }) => [name, String(maxTokens)]));
}

function withUsageAsked(text: string | null): string {
  const options = parsedJson(text ?? "null");
  if (text === null || !isObject(options)) return '{"include_usage":true}';
  if (own(options, "include_usage") !== undefined)
    return JSON.stringify({ ...options, include_usage: true });
  const rest = text.slice(text.indexOf("{") + 1);
  return `{"include_usage":true${Object.keys(options).length === 0 ? "" : ","}${rest}`;
}

export const asksForUsage = (body: RequestBody): boolean =>
  own(parsedJson(valueText(body, "stream_options") ?? "null"), "include_usage") === true;

/** Members that a cloud's body has or lacks compared with the maker's API. The model is in the URL. */
export interface CloudForm {
  added: Readonly<Record<string, string>>;
  removed: readonly string[];
}

export const isStreamAsked = (body: RequestBody): boolean => valueText(body, "stream") === "true";

/** The body for a provider, with the provider's name for the model, and token limits within the reservation. */
export function bodyFor(
  request: PassedRequest,
  to: { provider: string; model: string; maxTokens: number; form?: CloudForm | undefined },
): Bytes {
  const { endpoint, body } = request;
  const { added, removed } = to.form ?? {};
  const isStream = isStreamAsked(body);
  const model = JSON.stringify(to.model);
  const members = {
    ...(removed === undefined && valueText(body, "model") !== model && { model }),
    ...changedLimits(request, to),
    ...added,
    ...(isStream &&
      endpoint === "chat.completions" &&
      !asksForUsage(body) && {
        stream_options: withUsageAsked(valueText(body, "stream_options")),
      }),
  };
  return withMembers(body, members, removed);
}
