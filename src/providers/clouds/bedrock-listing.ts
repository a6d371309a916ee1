/**
 * Models and inference profiles of a region. Sources:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_ListFoundationModels.html,
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_ListInferenceProfiles.html
 */
import { own, type JsonValue } from "../../domain/json.ts";
import type { FetchedListing } from "../../domain/models/listings.ts";
import { readJson } from "../listing.ts";

const maxPages = 20;
const maxResults = "1000";

const listIn = (body: JsonValue | undefined, member: string): JsonValue[] => {
  const listed = own(body, member);
  return Array.isArray(listed) ? listed : [];
};

const textsIn = (items: readonly JsonValue[], member: string): string[] =>
  items.map((item) => own(item, member)).filter((value) => typeof value === "string");

/** Other models are only called through a profile. */
const isOnDemand = (model: JsonValue): boolean =>
  listIn(model, "inferenceTypesSupported").includes("ON_DEMAND");

interface Access {
  fetch: typeof fetch;
  /** of the runtime, on whose host the list isn't */
  baseUrl: string;
  signal: AbortSignal;
}

/** `null` if the identity may not list models. Never throws. */
export async function listBedrockModels(access: Access): Promise<FetchedListing | null> {
  const root = access.baseUrl.replace("//bedrock-runtime", "//bedrock");
  const models = await readJson(new URL("/foundation-models", root).href, access);
  if (models === null) return null;
  const ids = textsIn(listIn(models.body, "modelSummaries").filter(isOnDemand), "modelId");
  let token: string | null = "";
  for (let pages = 0; pages < maxPages && token !== null; pages += 1) {
    const url = new URL("/inference-profiles", root);
    url.searchParams.set("maxResults", maxResults);
    if (token !== "") url.searchParams.set("nextToken", token);
    const page = await readJson(url.href, access);
    if (page === null) return { ids, isComplete: false };
    ids.push(...textsIn(listIn(page.body, "inferenceProfileSummaries"), "inferenceProfileId"));
    const next = own(page.body, "nextToken");
    token = typeof next === "string" && next !== "" ? next : null;
  }
  return { ids, isComplete: token === null };
}
