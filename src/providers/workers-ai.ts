/**
 * The models behind the Workers AI binding. Only the Worker's host imports this file: its packages would be
 * a tenth of what a host without that binding installs.
 */
import { createWorkersAI } from "workers-ai-provider";
import type { ServedImage } from "./image.ts";
import type { Served } from "./language.ts";
import type { ServedSpeech } from "./speech.ts";

/** The Workers AI binding, as far as the router uses it. */
export interface AiBinding {
  run(model: string, inputs: object, options?: object): Promise<unknown>;
}

export interface WorkersAi {
  chat(modelId: string): Served["model"];
  image(modelId: string): ServedImage["model"];
  speech(modelId: string): ServedSpeech["model"];
}

export function createWorkersAi(binding: AiBinding): WorkersAi {
  // The binding's generated type lists every model by name; the adapter only calls `run`.
  const workersAi = createWorkersAI({ binding });
  return {
    chat: (modelId) => workersAi.chat(modelId),
    image: (modelId) => workersAi.image(modelId),
    speech: (modelId) => workersAi.speech(modelId),
  };
}
