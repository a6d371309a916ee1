import type { EndpointPolicy } from "../../domain/choice/policy.ts";
import type { ModelEndpointName } from "../../domain/model-endpoint.ts";
import type { PassedRequest, RequestBody } from "../../domain/passing.ts";
import type { Caller } from "../../pipeline/callers/authenticate.ts";

/** The headers that a provider of each wire needs. Others hold paths and ids of the client's. */
const passedHeaders: Readonly<Record<ModelEndpointName, readonly string[]>> = {
  messages: ["anthropic-version", "anthropic-beta"],
  "chat.completions": ["openai-beta"],
  responses: ["openai-beta"],
};

export const endpointPolicy = ({ snapshot }: Caller): EndpointPolicy =>
  snapshot.tenant.policy.modelEndpoints ?? {};

const withoutDenied = (betas: string, { deniedBetas = [] }: EndpointPolicy): string =>
  deniedBetas.length === 0
    ? betas
    : betas
        .split(",")
        .filter((beta) => !deniedBetas.includes(beta.trim()))
        .join(",");

const headersOf = (
  sent: Pick<Headers, "get">,
  endpoint: ModelEndpointName,
  policy: EndpointPolicy,
): PassedRequest["headers"] =>
  Object.fromEntries(
    passedHeaders[endpoint].flatMap((name) => {
      const value = sent.get(name) ?? "";
      const kept = name === "anthropic-beta" ? withoutDenied(value, policy) : value;
      return kept === "" ? [] : [[name, kept]];
    }),
  );

/** Anthropic's SDK marks requests of its beta API. */
const passedQueries: Partial<Record<ModelEndpointName, ReadonlySet<string>>> = {
  messages: new Set(["beta=true"]),
};

function queryOf(url: string, endpoint: ModelEndpointName): Pick<PassedRequest, "query"> {
  const passed = passedQueries[endpoint];
  const at = url.indexOf("?");
  if (passed === undefined || at === -1) return {};
  const kept = url
    .slice(at + 1)
    .split("&")
    .filter((each) => passed.has(each));
  return kept.length === 0 ? {} : { query: `?${kept.join("&")}` };
}

export const passedFrom = (
  { headers, url }: { headers: Pick<Headers, "get">; url: string },
  endpoint: ModelEndpointName,
  { body, caller }: { body: RequestBody; caller: Caller },
): Omit<PassedRequest, "addsLimit"> => ({
  endpoint,
  body,
  headers: headersOf(headers, endpoint, endpointPolicy(caller)),
  ...queryOf(url, endpoint),
});
