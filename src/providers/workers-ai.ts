/** The Workers AI binding. Imported only by the Worker's host, since its packages are large. */
import { createWorkersAI } from "workers-ai-provider";
import type { ServedImage } from "./image.ts";
import type { Served } from "./language.ts";
import type { ServedSpeech } from "./speech.ts";

export interface AiBinding {
  run(model: string, inputs: object, options?: object): Promise<unknown>;
}

export interface WorkersAi {
  chat(modelId: string): Served["model"];
  image(modelId: string): ServedImage["model"];
  speech(modelId: string): ServedSpeech["model"];
}

export function createWorkersAi(binding: AiBinding): WorkersAi {
  // The generated type lists all models; the adapter only calls `run`.
  const workersAi = createWorkersAI({ binding });
  return {
    chat: (modelId) => workersAi.chat(modelId),
    image: (modelId) => workersAi.image(modelId),
    speech: (modelId) => workersAi.speech(modelId),
  };
}
