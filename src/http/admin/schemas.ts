import { z } from "@hono/zod-openapi";
import { networkCauses } from "../../domain/network-fault.ts";
import { latestTime } from "../../domain/latest-time.ts";
import { oneLine } from "../../domain/one-line.ts";
import { reasons } from "../../domain/refusals.ts";

type OrUndefined<T> = T extends object ? { [Key in keyof T]: OrUndefined<T[Key]> | undefined } : T;

export type ShapeOf<T> = { [Key in keyof T]-?: z.ZodType<OrUndefined<T[Key]> | undefined> };

export const millis = z
  .int()
  .openapi({ description: "ms since the epoch", example: 1_795_132_800_000 });
const dateTime = z.iso.datetime({ offset: true });
const withoutSeconds = z.iso.datetime({ offset: true, precision: -1 });
const date = z.iso.date();

/** ms since the epoch; `null` without a time zone. */
function millisOf(time: string | number): number | null {
  if (typeof time === "number") return time;
  // `Number` would read an empty text as 0.
  if (/^\d{1,15}$/.test(time)) return Number(time);
  // An unencoded `+` arrives as a space.
  const zoned = time.replace(/ (\d\d:\d\d)$/, "+$1");
  // `Date.parse` accepts February 30; the schemas don't.
  return [dateTime, withoutSeconds, date].some((form) => form.safeParse(zoned).success)
    ? Date.parse(zoned)
    : null;
}

export const time = z
  .union([z.int(), z.string()])
  .transform((given, context) => {
    const ms = millisOf(given);
    if (ms !== null && ms >= 0 && ms <= latestTime) return ms;
    context.addIssue({
      code: "custom",
      message:
        "A time as ISO 8601 with a time zone, for example 2026-11-21T09:30:00Z or 2026-11-21, or as ms since the epoch, from 0 to 8640000000000000.",
    });
    return z.NEVER;
  })
  .openapi("Time", {
    description: "ISO 8601 with a time zone (a date is midnight UTC), or ms since the epoch.",
    example: "2026-11-21T09:30:00Z",
  });

/** `nullable()` of a named schema becomes an `allOf` that rejects `null`. */
export const orNull = <Named extends z.ZodType>(schema: Named) => z.union([schema, z.null()]);

export const count = z.int().min(1).max(1_000_000_000);

export const slug = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    "Use only lowercase letters, digits and hyphens.",
  )
  .openapi({ example: "acme" });
/** A text that other systems read as one line, such as a name, an id, or an address. */
export const line = (maxCharacters: number) => optionalLine(maxCharacters).min(1);
export const optionalLine = (maxCharacters: number) =>
  z.string().max(maxCharacters).regex(oneLine, "No control characters.");
export const name = line(200);

/** The domain validates names and values. */
export const secretHeaders = z.record(z.string().max(200), z.string().max(8_192)).openapi({
  description: "Secret headers. They are stored encrypted and never returned.",
});

export const pageQuery = z.object({
  cursor: z
    .string()
    .regex(
      /^([a-z]+_[0-9a-z]{26,38}|[a-z0-9-]+\/.{1,200}|(user|group|tag|run):.{1,250})$/,
      "Unknown cursor.",
    )
    .optional(),
  limit: z.coerce.number().int().min(1).max(200).optional(),
});
export const problemBody = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    reason: z.enum(reasons),
    retryable: z.boolean().openapi({ description: "Whether the same request can succeed later." }),
    path: z.string().optional().openapi({ description: "The member that is wrong." }),
    others: z
      .array(z.object({ path: z.string(), detail: z.string() }))
      .optional()
      .openapi({ description: "Further members that are wrong." }),
    requestId: z.string(),
  })
  .openapi("Problem", { description: "RFC 9457." });

export const networkFault = z
  .object({ cause: z.enum(networkCauses), host: z.string(), port: z.int() })
  .openapi("NetworkFault", { description: "Why there was no complete response." });
