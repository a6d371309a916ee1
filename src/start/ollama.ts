import { z } from "zod";
import { err, ok, type Result } from "../domain/result.ts";

const deadlineMs = 2_000;
const tags = z.looseObject({ models: z.array(z.looseObject({ name: z.string() })) });

export async function ollamaModels(host: string): Promise<Result<string[], string>> {
  try {
    const answer = await fetch(`${host}/api/tags`, { signal: AbortSignal.timeout(deadlineMs) });
    const parsed = tags.safeParse(await answer.json());
    if (!parsed.success) return err(`OLLAMA_HOST: ${host} does not answer as Ollama does`);
    return parsed.data.models.length === 0
      ? err(`OLLAMA_HOST: ${host} has no models; pull one, such as ollama pull llama3.2`)
      : ok(parsed.data.models.map(({ name }) => name));
  } catch {
    return err(`OLLAMA_HOST: ${host} does not answer; start it, then this again`);
  }
}
