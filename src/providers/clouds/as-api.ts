import { isObject, type JsonObject } from "../../domain/json.ts";
import { endpointFor } from "../../domain/models/bedrock-models.ts";
import type { CloudPlace } from "../../domain/models/cloud-place.ts";
import { apiOf } from "../../domain/models/clouds.ts";
import type { ProviderRequest } from "../../domain/sampling/providers.ts";

/** Options for the maker and for the cloud as options of the API. The cloud's take precedence. */
function metadataFor(
  metadata: JsonObject,
  { cloud, api }: { cloud: string; api: string },
): JsonObject {
  if (api === cloud) return metadata;
  const { [api]: makers, [cloud]: given, ...others } = metadata;
  if (!isObject(makers) && !isObject(given)) return others;
  return { ...others, [api]: { ...(isObject(makers) && makers), ...(isObject(given) && given) } };
}

const placeFor = (place: CloudPlace, id: string): CloudPlace =>
  place.cloud === "bedrock" ? { ...place, served: endpointFor(id) } : place;

/** A cloud's request as the provider of its API takes it; others unchanged. */
export function asApi(request: ProviderRequest): ProviderRequest {
  const { credential, model, call } = request;
  if (!credential.place) return request;
  const provider = apiOf(model);
  const metadata = metadataFor(call.metadata, { cloud: credential.provider, api: provider });
  return {
    ...request,
    credential: { ...credential, provider, place: placeFor(credential.place, model.id) },
    call: { ...call, metadata },
  };
}
