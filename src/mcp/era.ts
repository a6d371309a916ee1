/** Which revision a message speaks. Legacy revisions are negotiated once; a modern request names its own. */
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

/** The revision that `initialize` answers: the client's if it is a legacy one that we speak, else our latest. */
export const negotiate = (requested: string): LegacyRevision =>
  (legacyCodecs.has(requested) ? requested : latestLegacy) as LegacyRevision;

/** JSON-RPC batches exist in this revision and no other. */
export const allowsBatch = (revision: string): boolean => revision === "2025-03-26";

const namesRevision = metaKey("protocolVersion");

/** Whether a message's own `_meta` names a revision, which only modern messages do. */
export const namesModern = (params: JsonObject): boolean =>
  own(own(params, "_meta"), namesRevision) !== undefined;

/** Only modern messages name a revision in their own `_meta`, or in the header without a session. */
export const isModern = (params: JsonObject, protocolHeader: string | null): boolean =>
  namesModern(params) || (protocolHeader !== null && !isLegacy(protocolHeader));
