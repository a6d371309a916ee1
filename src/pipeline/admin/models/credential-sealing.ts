/** Seals a changed credential again. Its secrets never move to another origin. */
import type { CloudPlace } from "../../../domain/models/cloud-place.ts";
import type { CredentialChange, SealedCredential, Vault } from "../../../domain/ports/stores.ts";
import type { Refusal } from "../../../domain/refusals.ts";
import { err, ok, type Result } from "../../../domain/result.ts";
import {
  readSecret,
  writtenSecret,
  type HeaderValues,
} from "../../../domain/tenancy/credential-secret.ts";
import { providerKeyOf } from "../../../domain/tenancy/sealing.ts";

interface Changing {
  credential: SealedCredential;
  patch: {
    baseUrl?: string | null | undefined;
    endpoint?: string | undefined;
    headers?: HeaderValues | null | undefined;
  };
  baseUrl: string | null;
  place: CloudPlace | null;
  /** the new key; undefined: none was sent */
  secret: string | undefined;
}

const originOf = (baseUrl: string | null): string | null =>
  baseUrl === null ? null : (URL.parse(baseUrl)?.origin ?? null);

const invalid = (path: string, detail: string): Result<never, Refusal> =>
  err({ reason: "invalid_params", path, detail });

const unknownAddress =
  "The stored key can't be opened, so the baseUrl may have been changed outside of the API: send it with the new key, null for the provider's own.";
const unopenable = "it can't be opened, so it must come with another baseUrl";

/** Permission to change an address doesn't include reading the secrets, so they must be sent again. */
function requiredAgain({ credential, patch, baseUrl, place, secret }: Changing) {
  const { place: before = null, headerNames } = credential;
  const isElsewhere = originOf(baseUrl) !== originOf(credential.baseUrl);
  const isReplaced = JSON.stringify(place) !== JSON.stringify(before);
  if (!isElsewhere && !isReplaced) return null;
  const detail = isElsewhere
    ? "must come with a baseUrl of another origin"
    : "must come with another endpoint";
  if (secret === undefined) return invalid(before === null ? "apiKey" : "auth", detail);
  return headerNames?.length && patch.headers === undefined ? invalid("headers", detail) : null;
}

export const createSealing =
  (vault: Vault) =>
  async (
    changing: Changing,
  ): Promise<
    Result<Pick<CredentialChange, "sealed" | "place" | "status" | "headerNames">, Refusal>
  > => {
    const { credential, patch, baseUrl, place, secret } = changing;
    const required = requiredAgain(changing);
    if (required !== null) return required;
    const isChanged = secret !== undefined || patch.headers !== undefined;
    if (!isChanged && baseUrl === credential.baseUrl) return ok({});
    const opened = await vault.open(credential.sealed, providerKeyOf(credential));
    const isKept = secret === undefined;
    if (!opened.ok && isKept) return invalid(credential.place ? "auth" : "apiKey", unopenable);
    // Rejects new secrets if the stored address is not authentic.
    if (!opened.ok && patch.baseUrl === undefined && patch.endpoint === undefined)
      return invalid("baseUrl", unknownAddress);
    if (!opened.ok && credential.headerNames?.length && patch.headers === undefined)
      return invalid("headers", unopenable);
    const stored = opened.ok ? readSecret(opened.value, credential) : { secret: "", headers: {} };
    const next = {
      secret: secret ?? stored.secret,
      headers: patch.headers === undefined ? stored.headers : (patch.headers ?? {}),
    };
    const headerNames = Object.keys(next.headers);
    const sealed = await vault.seal(
      writtenSecret(next),
      providerKeyOf({ ...credential, baseUrl, place, headerNames }),
    );
    return ok({
      sealed,
      headerNames,
      ...(isChanged && { status: "active" as const, place }),
    });
  };
