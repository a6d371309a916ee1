/** Credentials with the identity of the router's machine, which a tenant may not use elsewhere. */
import type { CloudPlace } from "../../../domain/models/cloud-place.ts";
import type { Credential } from "../../../domain/ports/stores.ts";
import type { Refusal } from "../../../domain/refusals.ts";
import { err, ok, type Result } from "../../../domain/result.ts";
import type { Actor } from "../../../domain/tenancy/access.ts";

/** Domains of Azure's own endpoints. */
const azureDomains = [
  ".openai.azure.com",
  ".cognitiveservices.azure.com",
  ".services.ai.azure.com",
];

const endpointOf = (place: CloudPlace | null | undefined): string | null =>
  place?.cloud === "azure" ? place.endpoint : null;

const isAzures = (endpoint: string): boolean => {
  const host = URL.parse(endpoint)?.hostname ?? "";
  return azureDomains.some((domain) => host.endsWith(domain));
};

/**
 * The machine's tokens are only sent to the cloud itself: elsewhere, a tenant could use them as the machine.
 * @param asked.problem why the tenant may not use the identity
 */
export function checkHostIdentity(
  actor: Actor,
  asked: {
    place: CloudPlace | null;
    baseUrl: string | null;
    before: Pick<Credential, "baseUrl" | "place"> | null;
    problem: string | null;
  },
): Result<null, Refusal> {
  const { place, baseUrl, before, problem } = asked;
  if (place?.auth !== "hostIdentity") return ok(null);
  const forbidden = (action: string) => err({ reason: "forbidden", action } as const);
  if (problem !== null) return forbidden(problem);
  if (actor.kind === "operator") return ok(null);
  // Addresses that the operator set stay.
  const kept = before?.place?.auth === "hostIdentity" ? before : null;
  if (baseUrl && baseUrl !== kept?.baseUrl)
    return forbidden("only the operator can set baseUrl with hostIdentity");
  const endpoint = endpointOf(place);
  return endpoint === null || isAzures(endpoint) || endpoint === endpointOf(kept?.place)
    ? ok(null)
    : forbidden(
        "with hostIdentity, only the operator can set an endpoint outside of Azure's domains",
      );
}
