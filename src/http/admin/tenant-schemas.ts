import { z } from "@hono/zod-openapi";
import { regions } from "../../domain/tenancy/residency.ts";
import { hasOneRole, scopes } from "../../domain/tenancy/scopes.ts";
import { jurisdictions } from "../../domain/tenancy/tenant-databases.ts";
import { limits, removableLimits } from "./limit-schemas.ts";
import { policy } from "./policy-schemas.ts";
import { millis, name, slug, time } from "./schemas.ts";

const region = z.enum(regions);
const jurisdiction = z.enum(jurisdictions);
const residency = {
  region: region
    .nullable()
    .openapi({ description: "Near where the tenant's database was made; null: nobody asked." }),
  jurisdiction: jurisdiction
    .nullable()
    .openapi({ description: "What the tenant's data never leaves; null: nobody asked." }),
};

export const tenantInput = z
  .strictObject({
    slug,
    name,
    region: region
      .openapi({
        description:
          "Near where the tenant's database is to be made, for good: Cloudflare's location hints. For a deployment with a Durable Object for each tenant.",
      })
      .optional(),
    jurisdiction: jurisdiction
      .openapi({
        description:
          "What the tenant's data is never to leave. For a deployment with a Durable Object for each tenant.",
      })
      .optional(),
  })
  .openapi("TenantInput");

const forGood = new Set(["region", "jurisdiction"]);
/** Explains removed or misplaced members. */
const whyUnknown = ({ code, keys = [] }: { code?: string; keys?: readonly string[] }) =>
  code === "unrecognized_keys" && keys.some((member) => forGood.has(member))
    ? "A tenant's place holds for good. To move it, export its records and make a new tenant."
    : undefined;
export const tenantPatch = z
  .strictObject(
    { name },
    { error: (issue) => whyUnknown(issue as Parameters<typeof whyUnknown>[0]) },
  )
  .openapi("TenantPatch");
export const tenant = z
  .object({
    id: z.string(),
    slug,
    name,
    version: z.int(),
    createdAt: millis,
    policy,
    stoppedByOperator: z.string().nullable().openapi({
      description:
        "Why the operator's kill switch is on; null: it is off. The tenant's own switches are `policy.stopped`.",
    }),
    ...residency,
  })
  .openapi("Tenant");
export const listedTenant = z
  .object({
    id: z.string(),
    slug,
    name: name.openapi({
      description: "In a list over several databases it may be up to a minute old.",
    }),
    createdAt: millis,
    ...residency,
    state: z.enum(["active", "deleting"]).openapi({
      description: "`deleting`: a deletion began and was cut off; ask for it again.",
    }),
  })
  .openapi("ListedTenant");

export const ceiling = z
  .strictObject({
    limits,
    providers: z
      .array(z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, "A provider's name."))
      .max(50)
      .optional()
      .openapi({
        description:
          "Providers that the operator pays (`workers-ai`) and that the tenant may use. Others need no leave.",
        example: ["workers-ai"],
      }),
    stopped: z.string().min(1).max(500).optional().openapi({
      description: "The operator's kill switch for the tenant, and why it is on. Absent: off.",
    }),
  })
  .openapi("Ceiling");

export const keyInput = z
  .strictObject({
    name,
    scopes: z
      .array(z.enum(scopes))
      .min(1)
      .refine(hasOneRole, "One role at most: viewer, auditor, approver or admin.")
      .transform((list) => [...new Set(list)])
      .openapi({
        description:
          "`sampling` and `proxy` let the key sample; one of `viewer`, `auditor`, `approver` and `admin` gives it a role on the admin API. `tenant-admin` means `admin`.",
      }),
    expiresAt: time.nullish().openapi({
      description:
        "Absent: never, or when the key expires that asks. No later than that, which an operator's token does not.",
    }),
    limits: limits.optional(),
    userId: z.string().max(200).optional().openapi({
      description: "The person for whom the key is, of the tenant's users. Absent: of no person.",
    }),
  })
  .openapi("KeyInput");
const limitsPatch = removableLimits.openapi("LimitsPatch", {
  description: "null takes a limit away; an absent one stays.",
});
export const keyPatch = z
  .strictObject({
    name: name.optional(),
    expiresAt: time.nullish().openapi({ description: "null: never" }),
    limits: limitsPatch.optional(),
  })
  .refine((patch) => Object.keys(patch).length > 0, "Name what is to change.")
  .openapi("KeyPatch");
export const key = z
  .object({
    id: z.string(),
    tenantId: z.string(),
    name,
    scopes: z.array(z.enum(scopes)),
    expiresAt: millis.nullable(),
    revokedAt: millis.nullable(),
    limits,
    userId: z.string().nullable().openapi({ description: "The person for whom the key is." }),
    createdAt: millis,
  })
  .openapi("Key");
export const newKey = key
  .extend({ key: z.string().openapi({ description: "The API key. Shown this once." }) })
  .openapi("NewKey");
