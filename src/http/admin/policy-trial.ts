import { z } from "@hono/zod-openapi";
import { reasons } from "../../domain/refusals.ts";
import { exclusionReasons } from "../../domain/requirements.ts";
import { adminApp, endpointsOf } from "./endpoint.ts";
import { policy } from "./policy-schemas.ts";
import { names } from "./record-schemas.ts";
import { millis } from "./schemas.ts";
import { limitState } from "./usage-schemas.ts";

const triedChoice = z
  .object({
    model: z.string().nullable().openapi({ description: "null: refused" }),
    refused: z
      .object({
        reason: z.enum(reasons),
        excluded: z.record(z.string(), z.int()).openapi({
          description: "Number of excluded models per reason.",
        }),
      })
      .nullable(),
  })
  .openapi("TriedChoice");

const policyTrial = z
  .object({
    decisions: z.int().openapi({ description: "Number of replayed decisions, at most 100." }),
    changed: z.int(),
    newlyRefused: z.int().openapi({
      description: "Calls that only the new policy would refuse.",
    }),
    skipped: z.int().openapi({
      description: "Records among the newest 200 without a decision.",
    }),
    notReplayed: z.array(z.string()).openapi({
      description: "Changed members whose effect can't be replayed.",
      example: ["limits"],
    }),
    usedUp: z.array(limitState).openapi({
      description:
        "Changed limits of the tenant, people, groups, tags and runs that current usage already reaches.",
    }),
    names,
    data: z.array(
      z.object({
        id: z.string(),
        createdAt: millis,
        keyId: z.string(),
        serverId: z.string().nullable(),
        recorded: z.string().openapi({ description: "The recorded result." }),
        before: triedChoice.openapi({ description: "The current policy's result today." }),
        after: triedChoice.openapi({ description: "The new policy's result today." }),
        isChanged: z.boolean(),
        excludedBy: z.enum(exclusionReasons).nullable().openapi({
          description: "Why the new policy can't select the same model.",
        }),
      }),
    ),
  })
  .openapi("PolicyTrial");

export function policyTrialRoutes() {
  const app = adminApp();
  const endpoint = endpointsOf(app, "Policy");
  endpoint({
    route: "post /{tenant}/policy/dry-run",
    id: "tryPolicy",
    summary: "Preview a policy change with the last 100 decisions",
    description:
      "Makes the newest decisions again from today's figures, with the present policy and with the one in the body, and compares the two. It calls no provider and writes nothing. Left out: what limits had left then, rules of content negotiation, tool rounds, approvals, failover and prompt caching; `notReplayed` names those that differ. Open circuits do not count.",
    body: z.strictObject({ policy }),
    answer: policyTrial,
    run: ({ admin, actor, params, body }) => admin.tryPolicy(actor, params.tenant, body.policy),
  });
  return app;
}
