/** Tokens of a request as the API that serves the model counts them. */
import { withoutTrailing } from "../domain/bounded-url.ts";
import { own, parsedJson } from "../domain/json.ts";
import { bodyFor } from "../domain/passing.ts";
import type { Providers } from "../domain/sampling/providers.ts";
import { boundedFetch } from "./bounded.ts";
import { claudeFormOf, cloudFormOf } from "./clouds/claude.ts";
import { base64Of } from "./media.ts";
import { passedHeaders, passedUrl, textOf } from "./passed.ts";

type ToCount = Parameters<Providers["countTokens"]>[0];

/** For models without a known limit. */
const usualMaxTokens = 4_096;

function counting(
  { credential, model, passed }: ToCount,
  baseUrl: string,
): { url: string; body: BodyInit; member: string } {
  const { provider, place } = credential;
  const form = claudeFormOf(place);
  if (form === undefined)
    return {
      url: passedUrl(baseUrl, passed, "/count_tokens"),
      body: bodyFor(passed, { provider, model: model.id, maxTokens: Infinity }),
      member: "input_tokens",
    };
  const { countPath, wrapsCount } = form;
  const { added, removed } = cloudFormOf(form, passed.headers);
  const named = wrapsCount ? added : { ...added, model: JSON.stringify(model.id) };
  const body = bodyFor(
    { ...passed, addsLimit: wrapsCount },
    {
      provider,
      model: model.id,
      maxTokens: model.outputTokens ?? usualMaxTokens,
      form: { added: named, removed },
    },
  );
  return {
    url: `${withoutTrailing(baseUrl, "/")}/${countPath(model.id)}`,
    body: wrapsCount ? JSON.stringify({ input: { invokeModel: { body: base64Of(body) } } }) : body,
    member: wrapsCount ? "inputTokens" : "input_tokens",
  };
}

const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0;

/** An answer of Anthropic's API; `null` if the provider returns no count. */
export async function countPassed(
  request: ToCount,
  { fetch, baseUrl }: { fetch: typeof globalThis.fetch; baseUrl: string },
): Promise<string | null> {
  const { credential, passed, signal } = request;
  try {
    const { url, body, member } = counting(request, baseUrl);
    const headers = passedHeaders(passed, credential.apiKey);
    const response = await boundedFetch(fetch, "text")(url, {
      method: "POST",
      headers,
      body,
      signal,
    });
    const text = textOf(new Uint8Array(await response.arrayBuffer()));
    const counted = own(parsedJson(text ?? ""), member);
    if (response.status !== 200 || !isCount(counted)) return null;
    return member === "input_tokens" ? text : JSON.stringify({ input_tokens: counted });
  } catch {
    return null;
  }
}
