import type { HostIdentity } from "../../domain/ports/cloud-tokens.ts";
import { awsIdentity } from "./aws.ts";
import { azureIdentity } from "./azure.ts";
import { googleIdentity } from "./google.ts";
import type { IdentitySources } from "./sources.ts";

export const createHostIdentity =
  (sources: IdentitySources): HostIdentity =>
  (place) => {
    switch (place.cloud) {
      case "azure":
        return azureIdentity(sources);
      case "bedrock":
        return awsIdentity(sources, place.region);
      case "vertex":
        return googleIdentity(sources);
    }
  };
