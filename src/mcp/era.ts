/** The revision of a message: negotiated for legacy revisions, named in each modern request. */
import { own, type JsonObject } from "../domain/json.ts";
import type { Codec } from "./codec.ts";
import { createLegacyCodec, legacyRevisions, type LegacyRevision } from "./rev2025/codec.ts";
import { modernCodec, modernRevision } from "./rev2026/codec.ts";
import { metaKey } from "./meta-key.ts";

const legacyCodecs = new Map<string, Codec>(
  legacyRevisions.map((revision) => [revision, createLegacyCodec(revision)]),
);

/** Newest first. */
export const supportedRevisions: readonly string[] = [
  modernRevision,
  ...legacyRevisions.toReversed(),
];

export const isLegacy = (revision: string): boolean => legacyCodecs.has(revision);

export const codecFor = (revision: string): Codec | null =>
  revision === modernRevision ? modernCodec : (legacyCodecs.get(revision) ?? null);

export const latestLegacy = legacyRevisions.at(-1) as LegacyRevision;

/** The client's legacy revision if supported, else the latest one. */
export const negotiate = (requested: string): LegacyRevision =>
  (legacyCodecs.has(requested) ? requested : latestLegacy) as LegacyRevision;

/** Only this revision has JSON-RPC batches. */
export const allowsBatch = (revision: string): boolean => revision === "2025-03-26";

const namesRevision = metaKey("protocolVersion");

export const namesModern = (params: JsonObject): boolean =>
  own(own(params, "_meta"), namesRevision) !== undefined;

export const isModern = (params: JsonObject, protocolHeader: string | null): boolean =>
  namesModern(params) || (protocolHeader !== null && !isLegacy(protocolHeader));
