/** `POST /oauth/register` (RFC 7591): open client registration. */
import { boundedUrl } from "../../domain/bounded-url.ts";
import { isObject } from "../../domain/json.ts";
import {
  atIssuer,
  envOf,
  providerFor,
  unusedRegistrationSeconds,
  usedRegistrationSeconds,
  type ProviderDeps,
} from "./provider.ts";
import { makeRoom } from "./room.ts";

const maxRedirects = 64;

const answer = (status: number, error: string, description: string): Response =>
  Response.json(
    { error, error_description: description },
    { status, headers: { "Cache-Control": "no-store" } },
  );

/** Private schemes are valid URLs, too. */
function isBounded(body: string): boolean {
  let metadata: unknown;
  try {
    metadata = JSON.parse(body);
  } catch {
    // The library reports the error.
    return true;
  }
  const redirects = isObject(metadata) ? metadata["redirect_uris"] : null;
  if (!Array.isArray(redirects)) return true;
  return (
    redirects.length <= maxRedirects &&
    redirects.every((each) => typeof each !== "string" || boundedUrl(each) !== null)
  );
}

/** Replaces the library's expiry, which is that of an unused registration. */
async function withEndOfSecret(registered: Response): Promise<Response> {
  if (registered.status !== 201) return registered;
  const client = (await registered.json()) as Record<string, unknown>;
  const issuedAt = client["client_id_issued_at"];
  const ends = "client_secret" in client && typeof issuedAt === "number";
  return Response.json(
    {
      ...client,
      ...(ends && { client_secret_expires_at: issuedAt + usedRegistrationSeconds }),
    },
    registered,
  );
}

export async function answerRegistration(
  deps: ProviderDeps,
  request: Request,
  body: string,
): Promise<Response> {
  if (!isBounded(body))
    return answer(
      400,
      "invalid_redirect_uri",
      `redirect_uris has at most ${maxRedirects} URLs of 2,048 characters, each with a host of at most 253.`,
    );
  const room = await makeRoom(deps, {
    prefix: "client:",
    max: deps.maxClients,
    withinMs: unusedRegistrationSeconds * 1_000,
  });
  if (!room.ok || !room.value)
    return answer(503, "temporarily_unavailable", "No more clients are registered now.");
  const provider = providerFor({ ...deps, registrationSeconds: unusedRegistrationSeconds }, null);
  const registered = await provider.fetch(atIssuer(deps, request, body), envOf(deps), {});
  return withEndOfSecret(registered);
}
