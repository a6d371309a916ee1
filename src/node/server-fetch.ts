/**
 * How this host asks a registered server. It sends and gives what `fetch` does, and follows no redirect. The web
 * streams and objects that `fetch` makes for each answer took a third of the CPU of a proxied message.
 */
import type { Dispatcher } from "undici";
import { concatenated } from "../domain/bytes.ts";
import type { UpstreamAnswer, UpstreamFetch } from "../domain/ports/upstream.ts";
import { rememberedByText } from "../domain/remembered.ts";
import type { AnswerBody } from "./answer-body.ts";
import { ask, isOpenPort, type AnswerHeaders } from "./direct-fetch.ts";

interface Place {
  origin: string;
  path: string;
  /** the content codings that `fetch` takes */
  codings: string;
}

/** `place` null: a URL that is for `fetch` to judge. */
const placeOf = rememberedByText((text): { place: Place | null } => {
  const url = URL.parse(text);
  const isHttp = url?.protocol === "https:" || url?.protocol === "http:";
  if (url === null || !isHttp || !isOpenPort(url.port)) return { place: null };
  if (url.username !== "" || url.password !== "") return { place: null };
  const codings = url.protocol === "https:" ? "br, gzip, deflate" : "gzip, deflate";
  return { place: { origin: url.origin, path: url.pathname + url.search, codings } };
});

/** As `Headers` gives them. */
function headersFrom(sent: AnswerHeaders): UpstreamAnswer["headers"] {
  const headers = new Map<string, string>();
  for (const [name, value = ""] of Object.entries(sent))
    headers.set(name.toLowerCase(), (Array.isArray(value) ? value.join(", ") : value).trim());
  return {
    get: (name) => headers.get(name.toLowerCase()) ?? null,
    has: (name) => headers.has(name.toLowerCase()),
    forEach: (act) => headers.forEach(act),
  };
}

async function wholeOf(body: AnswerBody | null): Promise<ArrayBuffer> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const reader = body?.getReader();
  for (;;) {
    const next = await reader?.read();
    if (next === undefined || next.done) return concatenated(parts).buffer;
    parts.push(next.value);
  }
}

export const createServerFetch =
  ({ dispatcher, fetch }: { dispatcher: Dispatcher; fetch: UpstreamFetch }): UpstreamFetch =>
  async (request) => {
    const { place } = placeOf(request.url);
    const { method, headers, body, signal } = request;
    // `fetch` gives a text without a media type one of its own.
    const isTyped = typeof body !== "string" || headers["content-type"] !== undefined;
    if (place === null || !isTyped) return fetch(request);
    const { origin, path, codings } = place;
    // In the order in which `fetch` adds them.
    const sent: Record<string, string> = { ...headers };
    sent["accept"] ??= "*/*";
    sent["accept-language"] ??= "*";
    sent["sec-fetch-mode"] = "cors";
    sent["user-agent"] ??= "undici";
    sent["accept-encoding"] = codings;
    const question = { origin, path, method, headers: sent, body, signal, headersFrom };
    const { status, ok, headers: given, body: arriving } = await ask(dispatcher, question);
    return { status, ok, headers: given, body: arriving, arrayBuffer: () => wholeOf(arriving) };
  };
