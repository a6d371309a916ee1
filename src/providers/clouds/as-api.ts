import { isObject, type JsonObject } from "../../domain/json.ts";
import { apiOf } from "../../domain/models/clouds.ts";
import type { ProviderRequest } from "../../domain/sampling/providers.ts";
import { reasoningKeyOf } from "../../domain/sampling/reasoning-needs.ts";

/** Options for the cloud as options of the API's. Those for the maker itself are not for the cloud. */
function metadataFor(
  metadata: JsonObject,
  { cloud, api }: { cloud: string; api: string },
): JsonObject {
  if (api === cloud) return metadata;
  const { [api]: _, [cloud]: given, ...others } = metadata;
  if (!isObject(given)) return others;
  // Reasoning was planned by the cloud's key.
  const isPlanned = reasoningKeyOf(cloud) === reasoningKeyOf(api);
  const { [reasoningKeyOf(api)]: __, ...unreasoned } = given;
  return { ...others, [api]: isPlanned ? given : unreasoned };
}

/** A cloud's request as the provider of its API takes it; others unchanged. */
export function asApi(request: ProviderRequest): ProviderRequest {
  const { credential, model, call } = request;
  if (!credential.place) return request;
  const provider = apiOf(model);
  const metadata = metadataFor(call.metadata, { cloud: credential.provider, api: provider });
  return {
    ...request,
    credential: { ...credential, provider },
    call: { ...call, metadata },
  };
}
