import { readBounded } from "../domain/bounded-body.ts";
import { noAnswerReason } from "../domain/network-fault.ts";
import type { CatalogueSource } from "../domain/ports/catalogues.ts";
import { err } from "../domain/result.ts";
import { parseModelsDev } from "./models-dev.ts";

const deadlineMs = 20_000;
/** The file has 2 MB, and an isolate 128 MB. */
const maxBytes = 16 * 1024 * 1024;

export const createCatalogueSource = (deps: {
  url: string;
  fetch: typeof fetch;
  ends?: AbortSignal | undefined;
}): CatalogueSource => ({
  async entries() {
    try {
      const answer = await deps.fetch(deps.url, {
        headers: { Accept: "application/json" },
        signal: AbortSignal.any([
          AbortSignal.timeout(deadlineMs),
          ...(deps.ends ? [deps.ends] : []),
        ]),
      });
      if (!answer.ok) {
        await answer.body?.cancel();
        return err(`HTTP ${answer.status}`);
      }
      const bytes = await readBounded(answer.body, maxBytes);
      return bytes === null
        ? err(`longer than ${maxBytes} bytes`)
        : parseModelsDev(new TextDecoder().decode(bytes));
    } catch (thrown) {
      return err(`no answer from ${noAnswerReason(deps.url, thrown)}`);
    }
  },
});
