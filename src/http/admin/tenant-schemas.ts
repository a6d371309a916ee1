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
    .openapi({ description: "Location hint of the tenant's database; null if not set." }),
  jurisdiction: jurisdiction
    .nullable()
    .openapi({ description: "Jurisdiction of the tenant's data; null if not set." }),
};

export const tenantInput = z
  .strictObject({
    slug,
    name,
    region: region
      .openapi({
        description:
          "Cloudflare's location hint for the tenant's database. Can't be changed later. Only with a Durable Object per tenant.",
      })
      .optional(),
    jurisdiction: jurisdiction
      .openapi({
        description:
          "Jurisdiction that the tenant's data never leaves. Only with a Durable Object per tenant.",
      })
      .optional(),
  })
  .openapi("TenantInput");

const forGood = new Set(["region", "jurisdiction"]);
/** Explains removed or misplaced members. */
const whyUnknown = ({ code, keys = [] }: { code?: string; keys?: readonly string[] }) =>
  code === "unrecognized_keys" && keys.some((member) => forGood.has(member))
    ? "A tenant's location can't be changed later. To move it, export its records and create a new tenant."
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
        "Reason of the operator's kill switch; null if it is off. The tenant's own switches are `policy.stopped`.",
    }),
    waitingApprovals: z.int().openapi({ description: "Number of calls pending approval." }),
    attention: z
      .object({
        failingCredentials: z.int().openapi({ description: "Credentials whose key was rejected." }),
        failingServers: z.int().openapi({
          description:
            "Servers that reject the router, or failed their last check. Disabled ones don't count.",
        }),
        recentAlerts: z.int().openapi({
          description: "Alerts of the last 24 hours about circuits, seals, and the audit sink.",
        }),
      })
      .openapi({ description: "Counts of what needs attention." }),
    ...residency,
  })
  .openapi("Tenant");
export const listedTenant = z
  .object({
    id: z.string(),
    slug,
    name: name.openapi({
      description: "Can be up to a minute old in a list over several databases.",
    }),
    createdAt: millis,
    ...residency,
    state: z.enum(["active", "deleting"]).openapi({
      description: "`deleting`: the deletion was interrupted; repeat it.",
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
          "Operator-paid providers (`workers-ai`) that the tenant can use. Others are always allowed.",
        example: ["workers-ai"],
      }),
    stopped: z.string().min(1).max(500).optional().openapi({
      description: "The operator's kill switch for the tenant, with the reason.",
    }),
  })
  .openapi("Ceiling");

export const keyInput = z
  .strictObject({
    name,
    scopes: z
      .array(z.enum(scopes))
      .min(1)
      .refine(hasOneRole, "At most one role: viewer, auditor, approver or admin.")
      .transform((list) => [...new Set(list)])
      .openapi({
        description:
          "`sampling`, `models` and `proxy` allow calls; `viewer`, `auditor`, `approver` or `admin` is a role for the admin API. `tenant-admin` is an alias of `admin`.",
      }),
    expiresAt: time.nullish().openapi({
      description: "Default: never, or the expiry of the creating key, which is also the maximum.",
    }),
    limits: limits.optional(),
    userId: z.string().max(200).optional().openapi({
      description: "The tenant's user for whom the key is issued.",
    }),
  })
  .openapi("KeyInput");
const limitsPatch = removableLimits.openapi("LimitsPatch", {
  description: "null removes a limit; missing ones are kept.",
});
export const keyPatch = z
  .strictObject({
    name: name.optional(),
    expiresAt: time.nullish().openapi({ description: "null: never" }),
    limits: limitsPatch.optional(),
  })
  .refine((patch) => Object.keys(patch).length > 0, "Specify at least one change.")
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
    userId: z
      .string()
      .nullable()
      .openapi({ description: "The person for whom the key is issued." }),
    createdAt: millis,
    createdBy: z.string().openapi({
      description: "Who created it, as the `actor` of an event.",
      example: "operator",
    }),
  })
  .openapi("Key");
export const newKey = key
  .extend({ key: z.string().openapi({ description: "The API key, shown only once." }) })
  .openapi("NewKey");
