/** Content blocks, by the specification's schema.json of each revision. */
import { z } from "zod";
import type { JsonObject } from "../../domain/json.ts";

const base64 = z
  .string()
  .min(1)
  .refine((text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text), "Not base64.");

const mimeType = (kind: "image" | "audio") =>
  // Case-insensitive (RFC 2045, section 5.1).
  z.string().regex(new RegExp(`^${kind}/[\\w.+-]+(;.*)?$`, "i"), `Not a MIME type of ${kind}.`);

const json = z.custom<JsonObject>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "Not an object.",
);

/** Some languages serialize absent members as `null`. */
export const absentOr = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value): z.output<Schema> | undefined => value ?? undefined);

export const text = z.looseObject({ type: z.literal("text"), text: z.string() });
export const image = z.looseObject({
  type: z.literal("image"),
  data: base64,
  mimeType: mimeType("image"),
});
export const audio = z.looseObject({
  type: z.literal("audio"),
  data: base64,
  mimeType: mimeType("audio"),
});
export const toolUse = z.looseObject({
  type: z.literal("tool_use"),
  id: z.string().min(1),
  name: z.string().min(1),
  input: json,
  _meta: absentOr(json),
});
const resource = z.looseObject({
  type: z.literal("resource"),
  resource: z.looseObject({ uri: z.string() }),
});
const resourceLink = z.looseObject({
  type: z.literal("resource_link"),
  uri: z.string(),
  name: z.string(),
});
export const toolResult = z.looseObject({
  type: z.literal("tool_result"),
  toolUseId: z.string().min(1),
  content: z.array(z.discriminatedUnion("type", [text, image, audio, resource, resourceLink])),
  structuredContent: absentOr(json),
  isError: absentOr(z.boolean()),
  _meta: absentOr(json),
});

export const tool = z.looseObject({
  name: z.string().min(1),
  description: absentOr(z.string()),
  inputSchema: json,
});
