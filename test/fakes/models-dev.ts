/** models.dev on loopback: an `api.json` made of a catalogue, and whatever else a server may answer. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Model } from "../../src/domain/models/model.ts";

const theirs: Readonly<Record<string, string>> = {
  "workers-ai": "cloudflare-workers-ai",
  together: "togetherai",
  fireworks: "fireworks-ai",
};

interface ModelsDevProvider {
  id: string;
  models: Record<string, unknown>;
}

/** The catalogue as models.dev would have it; local providers are none of its. */
export function apiJsonOf(models: readonly Model[]): Record<string, ModelsDevProvider> {
  const providers: Record<string, ModelsDevProvider> = {};
  for (const model of models) {
    if (model.provider === "ollama") continue;
    const id = theirs[model.provider] ?? model.provider;
    const { inputUsdPerMTok: input, outputUsdPerMTok: output } = model;
    providers[id] ??= { id, models: {} };
    providers[id].models[model.id] = {
      id: model.id,
      name: model.name,
      ...(model.family !== null && { family: model.family }),
      tool_call: model.tools,
      reasoning: model.reasoning,
      temperature: model.temperature,
      ...(model.status === "retired" && { status: "deprecated" }),
      modalities: { input: model.inputModalities, output: model.outputModalities },
      limit: { context: model.contextTokens ?? 0, output: model.outputTokens ?? 0 },
      ...(input !== null && output !== null && { cost: { input, output } }),
    };
  }
  return providers;
}

export interface ModelsDev {
  url: string;
  /** how often it was asked */
  asked(): number;
  answer(body: string, status?: number): void;
  close(): Promise<void>;
}

export async function startModelsDev(first: string): Promise<ModelsDev> {
  let [body, status, asked] = [first, 200, 0];
  const server = createServer((_, response) => {
    asked += 1;
    response.writeHead(status, { "Content-Type": "application/json" }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/api.json`,
    asked: () => asked,
    answer: (next, code = 200) => ([body, status] = [next, code]),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
