/** The file at CATALOGUE_URL: fetched with a deadline and a bound, parsed at once. */
import type { CatalogueSource } from "../domain/catalogues.ts";
import { err } from "../domain/result.ts";
import { parseModelsDev } from "./models-dev.ts";

const deadlineMs = 20_000;
/** The file has 2 MB; an isolate has 128. */
const mostBytes = 16 * 1024 * 1024;

/** null once it is longer than it may be. */
async function textOf(answer: Response): Promise<string | null> {
  const decoder = new TextDecoder();
  const reader = answer.body?.getReader();
  if (reader === undefined) return "";
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > mostBytes) {
      await reader.cancel();
      return null;
    }
    text += decoder.decode(value, { stream: true });
  }
}

export const createCatalogueSource = (deps: {
  url: string;
  fetch: typeof fetch;
}): CatalogueSource => ({
  async entries() {
    try {
      const answer = await deps.fetch(deps.url, {
        headers: { Accept: "application/json" },
        signal: AbortSignal.timeout(deadlineMs),
      });
      if (!answer.ok) {
        await answer.body?.cancel();
        return err(`HTTP ${answer.status}`);
      }
      const text = await textOf(answer);
      return text === null ? err(`longer than ${mostBytes} bytes`) : parseModelsDev(text);
    } catch (cause) {
      return err(cause instanceof Error && cause.name === "TimeoutError" ? "timeout" : "no answer");
    }
  },
});
