import { z } from "zod";
import { shownNames } from "../../domain/choice/ignored.ts";
import { isObject, type JsonObject } from "../../domain/json.ts";
import { modalities, type Modality } from "../../domain/modality.ts";
import { namePattern, runMember, tagMember } from "../../domain/sampling/call.ts";
import { absentOr, audio, image, text, tool, toolResult, toolUse } from "./content.ts";

const priority = absentOr(z.number().min(0).max(1));
const maxHints = 100;
const maxHintCharacters = 256;

const block = {
  "2024-11-05": z.discriminatedUnion("type", [text, image]),
  "2025-03-26": z.discriminatedUnion("type", [text, image, audio]),
  "2025-06-18": z.discriminatedUnion("type", [text, image, audio]),
  "2025-11-25": z.discriminatedUnion("type", [text, image, audio, toolUse, toolResult]),
} as const;

export type LegacyRevision = keyof typeof block;
export const legacyRevisions = Object.keys(block) as LegacyRevision[];

export const outputModalitiesKey = "sampling-router/outputModalities";
export const modalitiesOf = (revision: string): Modality[] =>
  modalities.filter((kind) => kind !== "audio" || revision !== "2024-11-05");

const name = z
  .string()
  .regex(namePattern, "At most 64 letters, digits, dots, hyphens and underscores.");

const wantedIn = (revision: LegacyRevision) =>
  z.looseObject({
    [outputModalitiesKey]: absentOr(z.array(z.enum(modalitiesOf(revision))).min(1)),
    [tagMember]: absentOr(name),
    [runMember]: absentOr(name),
  });

const contentOf = (revision: LegacyRevision) => {
  const one = block[revision];
  if (revision !== "2025-11-25")
    return z
      .custom<unknown>((value) => !Array.isArray(value), {
        message: `One block, not an array, in ${revision}.`,
        abort: true,
      })
      .pipe(one)
      .transform((value) => [value]);
  // A plain union would report all branches; the value's shape selects one.
  return z
    .custom<unknown>()
    .transform((value) => (Array.isArray(value) ? value : [value]))
    .pipe(z.array(one));
};

export const callSchema = (revision: LegacyRevision) =>
  z.looseObject({
    messages: z
      .array(z.looseObject({ role: z.enum(["user", "assistant"]), content: contentOf(revision) }))
      .min(1),
    maxTokens: z.int().min(1),
    modelPreferences: absentOr(
      z.looseObject({
        hints: absentOr(
          z
            .array(z.looseObject({ name: absentOr(z.string().max(maxHintCharacters)) }))
            .max(maxHints),
        ),
        costPriority: priority,
        speedPriority: priority,
        intelligencePriority: priority,
      }),
    ),
    systemPrompt: absentOr(z.string()),
    includeContext: absentOr(z.enum(["none", "thisServer", "allServers"])),
    temperature: absentOr(z.number()),
    stopSequences: absentOr(z.array(z.string())),
    metadata: absentOr(wantedIn(revision)),
    tools: absentOr(z.array(tool)),
    toolChoice: absentOr(z.looseObject({ mode: absentOr(z.enum(["auto", "required", "none"])) })),
    _meta: absentOr(wantedIn(revision)),
  });

const knownParams = new Set(Object.keys(callSchema("2025-11-25").shape));
const knownPreferences = new Set([
  "hints",
  "costPriority",
  "speedPriority",
  "intelligencePriority",
]);

const unknownTo = (known: ReadonlySet<string>, object: unknown): string[] =>
  isObject(object)
    ? Object.keys(object).filter((key) => !known.has(key) && object[key] !== null)
    : [];

/** Unread params, including `task`, since calls don't run as tasks. */
export const unknownIn = (params: JsonObject): string[] =>
  shownNames([
    ...unknownTo(knownParams, params),
    ...unknownTo(knownPreferences, params["modelPreferences"]).map(
      (key) => `modelPreferences.${key}`,
    ),
  ]);

export type ParsedCall = z.infer<ReturnType<typeof callSchema>>;
