/** What can't be settled, or costs more than the catalogue knows, unless the policy allows and prices it. */
import type { EndpointPolicy } from "../../domain/choice/policy.ts";
import { own, type JsonObject, type JsonValue } from "../../domain/json.ts";
import type { ModelEndpointName } from "../../domain/model-endpoint.ts";
import type { Refusal } from "../../domain/refusals.ts";
import type { PassingNeeds } from "../../domain/requirements.ts";
import type { Result } from "../../domain/result.ts";
import { refuseMember } from "./decoded.ts";

const unsettled = "A call whose work goes on elsewhere can't be charged.";
const unpriced =
  "It changes the price, and modelEndpoints.priceFactors of the policy doesn't list it.";
const unpricedTool =
  "The provider runs and bills this tool, and modelEndpoints.toolUsd of the policy doesn't list it.";
const stored = 'modelEndpoints.store of the policy is "never": send store: false.';

const isEmptyList = (value: JsonValue): boolean => Array.isArray(value) && value.length === 0;

const unsettledMembers = { background: false, fallbacks: [] } as const;

/** Members that change the price, each with the values that don't. */
const pricedMembers: Readonly<Record<string, readonly JsonValue[]>> = {
  service_tier: ["auto", "default", "standard_only"],
  speed: ["standard"],
  inference_geo: ["global"],
};

/**
 * By the beginning of their types; `computer` and `bash` among them. The provider runs every other tool, and
 * may bill for it.
 */
const clientTools =
  /^(function|custom|namespace|local_shell|apply_patch|computer|bash_|text_editor_|memory_)/;

function providerTools(body: JsonObject): { type: string; path: string; maxUses: number | null }[] {
  const { tools } = body;
  const listed = (Array.isArray(tools) ? tools : []).flatMap((tool, at) => {
    const type = own(tool, "type");
    const uses = own(tool, "max_uses");
    return typeof type !== "string" || clientTools.test(type)
      ? []
      : [{ type, path: `tools.${at}.type`, maxUses: typeof uses === "number" ? uses : null }];
  });
  const { mcp_servers: servers = null, web_search_options: search = null } = body;
  return [
    ...listed,
    ...(servers === null || isEmptyList(servers)
      ? []
      : [{ type: "mcp", path: "mcp_servers", maxUses: null }]),
    ...(search === null ? [] : [{ type: "web_search", path: "web_search_options", maxUses: 1 }]),
  ];
}

const priceOfTool = (type: string, { toolUsd = {} }: EndpointPolicy): number | undefined =>
  Object.entries(toolUsd).find(([beginning]) => type.startsWith(beginning))?.[1];

const factorOf = (value: JsonValue, { priceFactors = {} }: EndpointPolicy): number | undefined =>
  typeof value === "string" && Object.hasOwn(priceFactors, value) ? priceFactors[value] : undefined;

const askedPrices = (body: JsonObject): { name: string; value: JsonValue }[] =>
  Object.entries(pricedMembers).flatMap(([name, usual]) => {
    const value = body[name] ?? null;
    return value === null || usual.includes(value) ? [] : [{ name, value }];
  });

/** Responses are stored unless a request says otherwise. */
const isStored = (endpoint: ModelEndpointName, { store = null }: JsonObject): boolean =>
  endpoint === "responses" ? store !== false : store === true;

export function refusedMember(
  endpoint: ModelEndpointName,
  body: JsonObject,
  policy: EndpointPolicy,
): Result<never, Refusal> | null {
  for (const [name, nothing] of Object.entries(unsettledMembers)) {
    const value = body[name] ?? null;
    if (value !== null && value !== nothing && !isEmptyList(value))
      return refuseMember(name, unsettled);
  }
  const costly = askedPrices(body).find(({ value }) => factorOf(value, policy) === undefined);
  if (costly !== undefined) return refuseMember(costly.name, unpriced);
  const tool = providerTools(body).find(({ type }) => priceOfTool(type, policy) === undefined);
  if (tool !== undefined) return refuseMember(tool.path, unpricedTool);
  if (policy.store !== "never") return null;
  const reference = ["previous_response_id", "conversation"].find(
    (name) => (body[name] ?? null) !== null,
  );
  if (reference !== undefined) return refuseMember(reference, stored);
  return isStored(endpoint, body) ? refuseMember("store", stored) : null;
}

/** Uses of a tool that are reserved where the request sets no limit. */
const usualUses = 10;

export function surchargesOf(
  body: JsonObject,
  policy: EndpointPolicy,
): Pick<PassingNeeds, "surcharge" | "prices"> {
  const { priceFactors, toolUsd } = policy;
  const factor = askedPrices(body).reduce(
    (product, { value }) => product * (factorOf(value, policy) ?? 1),
    1,
  );
  const tools = providerTools(body);
  const fees = tools.reduce(
    (sum, { type, maxUses }) => sum + (priceOfTool(type, policy) ?? 0) * (maxUses ?? usualUses),
    0,
  );
  const surcharge = {
    ...(factor !== 1 && { factor }),
    ...(fees > 0 && { feeMicroUsd: Math.ceil(fees * 1e6) }),
  };
  const prices = {
    // The provider may choose a tier.
    ...(priceFactors !== undefined && { factors: priceFactors }),
    ...(tools.length > 0 && toolUsd !== undefined && { toolUsd }),
  };
  return {
    ...(Object.keys(surcharge).length > 0 && { surcharge }),
    ...(Object.keys(prices).length > 0 && { prices }),
  };
}
