/** Reads each credential's model list at most daily, or hourly if the tenant runs the server, after an answered call and off its path. */
import { createBoundedMap, type BoundedMap } from "../../../domain/bounded-map.ts";
import {
  acceptedListing,
  isListKept,
  type FetchedListing,
} from "../../../domain/models/listings.ts";
import type { CredentialStore, SealedCredential } from "../../../domain/ports/stores.ts";
import type { AsyncResult } from "../../../domain/refusals.ts";
import { ok } from "../../../domain/result.ts";
import type { AttemptAll } from "./attempt.ts";
import type { ProviderKeys } from "../../provider-keys.ts";
import type { Providers } from "../../../domain/sampling/providers.ts";

const dayMs = 86_400_000;
/** ms before this process retries, whatever its cache says. */
const restMs = 3_600_000;
const timeoutMs = 20_000;

/** ms, monotonic, of the last try per credential. */
export type ListingTries = BoundedMap<string, number>;
export const createListingTries = (capacity: number): ListingTries => createBoundedMap(capacity);

/** A list from a custom address proves nothing. */
export async function keepRead(
  credentials: Pick<CredentialStore, "keepListing">,
  credential: SealedCredential,
  { read, now }: { read: FetchedListing | null; now: number },
): AsyncResult<null> {
  const { tenantId, id, updatedAt, listing = null } = credential;
  const counted = isListKept(credential) ? acceptedListing(listing, read, now) : listing;
  // An unchanged list keeps prepared choices valid.
  if (counted === null || counted.ids.join() === listing?.ids.join()) return ok(null);
  return credentials.keepListing({ tenantId, id, readAt: updatedAt }, counted);
}

export function createModelLists(deps: {
  credentials: Pick<CredentialStore, "claimListing" | "keepListing">;
  providers: Pick<Providers, "listModels">;
  providerKeys: Pick<ProviderKeys, "open">;
  tries: ListingTries;
  now: () => number;
  elapsed: () => number;
  ends?: AbortSignal | undefined;
}) {
  const { credentials, providers, providerKeys, tries, now, elapsed, ends } = deps;

  const isDue = (credential: SealedCredential): boolean => {
    const { id, listingDueAt = 0 } = credential;
    const tried = tries.get(id);
    return (
      isListKept(credential) &&
      listingDueAt <= now() &&
      (tried === undefined || elapsed() - tried > restMs)
    );
  };

  const read = async (credential: SealedCredential): Promise<void> => {
    const { tenantId, id, updatedAt, baseUrl } = credential;
    const at = now();
    const claimed = await credentials.claimListing(
      { tenantId, id, readAt: updatedAt },
      { now: at, until: at + (baseUrl === null ? dayMs : restMs) },
    );
    if (!claimed.ok || !claimed.value) return;
    const key = await providerKeys.open(credential);
    if (!key.ok) return;
    const listed = await providers.listModels(
      key.value,
      AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(ends === undefined ? [] : [ends])]),
    );
    await keepRead(credentials, credential, { read: listed, now: now() });
  };

  return (credential: SealedCredential): Promise<void> | null => {
    if (!isDue(credential)) return null;
    tries.set(credential.id, elapsed());
    return read(credential);
  };
}

export const readingLists =
  (
    attempt: AttemptAll,
    deps: {
      readList: ReturnType<typeof createModelLists>;
      upkeep: (work: Promise<unknown>) => void;
    },
  ): AttemptAll =>
  async (walk) => {
    const attempted = await attempt(walk);
    const last = attempted.answer.ok ? attempted.attempts.at(-1)?.credentialId : undefined;
    const credential = walk.credentials.find(({ id }) => id === last);
    const reading = credential === undefined ? null : deps.readList(credential);
    if (reading !== null) deps.upkeep(reading);
    return attempted;
  };
