import type { ModelEndpointName } from "../model-endpoint.ts";
import { apiOf } from "../models/clouds.ts";
import type { Model } from "../models/model.ts";
import { wireOf } from "./rules.ts";

const ownApis: ReadonlySet<string> = new Set(["anthropic", "google", "workers-ai"]);

export function speaks(
  model: Pick<Model, "provider" | "id" | "like">,
  endpoint: ModelEndpointName,
): boolean {
  if (model.provider === "demo") return false;
  const wire = wireOf(model);
  if (endpoint === "messages") return wire === "anthropic";
  if (endpoint === "responses") return apiOf(model) === "openai";
  return wire !== "openai-responses" && !ownApis.has(wire);
}
