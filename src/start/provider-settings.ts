import { withoutTrailing } from "../domain/bounded-url.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { problemWithKey } from "../domain/tenancy/placeholders.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ProviderSetting {
  name: string;
  provider: string;
  apiKey: string;
  baseUrl: string | null;
  /** Ollama's address; `null` for other providers */
  ollama: string | null;
}

/** Provider, key variable, and base URL variable. */
export const keyed = [
  { name: "OPENAI_API_KEY", provider: "openai", place: "OPENAI_BASE_URL" },
  { name: "ANTHROPIC_API_KEY", provider: "anthropic", place: "ANTHROPIC_BASE_URL" },
  { name: "GEMINI_API_KEY", provider: "google", place: "GEMINI_BASE_URL" },
] as const;

const ollamaPort = 11_434;

function httpUrl(text: string): URL | null {
  const url = URL.parse(text);
  return url !== null && ["http:", "https:"].includes(url.protocol) ? url : null;
}

/** Scheme, host, or port may be missing. Ollama also binds to it, so "every interface" becomes loopback. */
function ollamaUrl(text: string): string | null {
  const bare = !text.includes("://");
  const url = httpUrl(bare ? `http://${text.startsWith(":") ? `127.0.0.1${text}` : text}` : text);
  if (url === null) return null;
  if (bare && url.port === "" && !/:80(\/|$)/.test(text)) url.port = String(ollamaPort);
  if (url.hostname === "0.0.0.0" || url.hostname === "[::]") url.hostname = "127.0.0.1";
  return `${url.origin}${withoutTrailing(url.pathname, "/")}`;
}

export function providerSettings(env: Environment): Result<ProviderSetting[], string> {
  const settings: ProviderSetting[] = [];
  for (const { name, provider, place } of keyed) {
    const apiKey = env[name]?.trim();
    const baseUrl = env[place]?.trim() ?? null;
    if (baseUrl !== null && httpUrl(baseUrl) === null)
      return err(`${place} must be an http: or https: URL`);
    if (apiKey === undefined || apiKey === "") continue;
    const problem = problemWithKey(apiKey);
    if (problem !== null) return err(`${name}: ${problem}`);
    settings.push({ name, provider, apiKey, baseUrl, ollama: null });
  }
  const host = env["OLLAMA_HOST"]?.trim();
  if (host) {
    const ollama = ollamaUrl(host);
    if (ollama === null) return err("OLLAMA_HOST must be host:port or an http: or https: URL");
    settings.push({
      name: "OLLAMA_HOST",
      provider: "ollama",
      // Ollama needs no key, but a credential does.
      apiKey: "ollama",
      baseUrl: `${ollama}/v1`,
      ollama,
    });
  }
  return ok(settings);
}
