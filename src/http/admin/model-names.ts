import { line } from "./schemas.ts";

/** HTTP clients remove `.` and `..` from paths. */
export const modelId = line(200).refine((id) => id !== "." && id !== "..", "Not . or ..");

export const like = line(300).openapi({
  description:
    "provider/model of the catalogue model that this one is, for example for a deployment. Prices, limits and parameter names default to its values.",
  example: "openai/gpt-5-mini",
});
