/** The machine's service account at Google Cloud, also by Workload Identity. */
import { askForToken, type Granted, type IdentitySources } from "./sources.ts";

/** Source: https://docs.cloud.google.com/compute/docs/access/authenticate-workloads#applications */
export function googleIdentity({ platform, fetch, ...sources }: IdentitySources): Granted {
  const host = platform["GCE_METADATA_HOST"] ?? "169.254.169.254";
  return askForToken(
    {
      ...sources,
      platform,
      // Another server at the address would not send the header.
      async fetch(...asked) {
        const answer = await fetch(...asked);
        if (answer.headers.get("metadata-flavor") !== "Google") throw new TypeError("not Google");
        return answer;
      },
    },
    {
      url: `http://${host}/computeMetadata/v1/instance/service-accounts/default/token`,
      headers: { "metadata-flavor": "Google" },
    },
  );
}
