import { z } from "@hono/zod-openapi";
import { approvalStages } from "../../domain/sampling/approval.ts";
import { names } from "./record-schemas.ts";
import { line, millis, pageQuery } from "./schemas.ts";

const states = ["waiting", "approved", "denied", "expired", "started", "withdrawn"] as const;
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "A SHA-256 in hex.");

export const approvalQuery = pageQuery.extend({ state: z.enum(states).optional() });

export const approvalCondition = z
  .object({
    name: z.enum(["costUsdAbove", "models", "servers", "tools", "modalities"]),
    matches: z.array(z.string()).optional().openapi({ description: "What of the rule matches." }),
    limitUsd: z.number().optional(),
    costUsd: z.number().nullable().optional().openapi({
      description: "The most that the call can cost with failover; null without a known price.",
    }),
  })
  .openapi("ApprovalCondition");

const approval = z.object({
  tenantId: z.string(),
  requestId: z.string(),
  stage: z.enum(approvalStages),
  keyId: z.string().openapi({ description: "The requesting key." }),
  state: z.enum(states).openapi({
    description:
      "waiting: pending. approved: waits for its caller. started: it ran. expired: it timed out, or its caller didn't return. withdrawn: cancelled by its caller.",
  }),
  createdAt: millis,
  deadline: millis.openapi({
    description: "The deadline for the decision; for an approved call, for its caller.",
  }),
  onTimeout: z.enum(["deny", "approve"]),
  conditions: z.array(approvalCondition).openapi({
    description:
      "Matching conditions of the rule as it was then. Empty if the rule applies to every call.",
  }),
  contentHash: sha256.openapi({
    description: "Hash of `content`. Required in the decision.",
  }),
  decidedAt: millis.nullable(),
  decidedBy: z.string().nullable().openapi({
    description: "`operator`, a person's name, the id of a key, `timeout`, or `caller`.",
  }),
  decidedBySubject: z.string().nullable().openapi({
    description:
      "Keyed hash of the person's issuer and subject, stable per tenant; null if no person decided.",
  }),
  isOwn: z.boolean().openapi({
    description: "Whether the person decided their own call.",
  }),
  comment: z.string().nullable(),
  edited: z
    .object({
      content: sha256.optional(),
      model: z.string().optional(),
      explanation: z.string().optional(),
    })
    .nullable()
    .openapi({
      description: "The approver's edits: hash of the new content, model, explanation of a denial.",
    }),
});

export const listedApproval = approval
  .extend({
    model: z.string().nullable().openapi({ description: "The selected model, provider/model." }),
    maxCostUsd: z.number().nullable().openapi({
      description: "The most that the call can cost; null without a known price.",
    }),
    user: z.string().nullable().openapi({ description: "The person of the key." }),
  })
  .openapi("ListedApproval");

export const approvalDetail = approval
  .extend({
    content: z.record(z.string(), z.unknown()).nullable().openapi({
      description:
        "For a request: the caller (`who`), the `call` with its messages, the selected `model`, `alternatives`, the `estimate`, and the maximum cost (`reservedUsd`). null if no longer stored.",
    }),
    names,
  })
  .openapi("Approval");

const textBlock = z.strictObject({ type: z.literal("text"), text: z.string() });
const mediaBlock = z.strictObject({
  type: z.enum(["image", "audio"]),
  data: z.string(),
  mimeType: z.string().max(200),
});
/** Editable blocks of a prompt. Tool uses and results can't be edited. */
const block = z.union([textBlock, mediaBlock]);
const message = z.strictObject({
  role: z.enum(["user", "assistant"]),
  // A block or a list of blocks, as in MCP.
  content: z
    .union([block, z.array(block).min(1).max(1_000)])
    .transform((content) => [content].flat()),
});

const edited = z
  .strictObject({
    messages: z.array(message).min(1).max(1_000).optional(),
    systemPrompt: z.string().max(200_000).optional(),
    text: z.string().min(1).max(1_000_000).optional().openapi({
      description: "For a result: the replacement text.",
    }),
    model: z
      .string()
      .max(200)
      .regex(/^[^/*]+\/[^*]+$/, "provider/model")
      .optional(),
  })
  .refine((edits) => Object.keys(edits).length > 0, "Specify at least one change.")
  .openapi("ApprovalEdits", {
    description:
      "Replaces the messages, the system prompt or the model. Model selection and reservation are repeated. If the edited call exceeds a budget, the decision is refused and the call remains pending.",
  });

export const approvalDecision = z
  .strictObject({
    decision: z.enum(["approve", "deny"]),
    reason: z.string().min(1).max(1_000).optional(),
    explanation: line(500).optional().openapi({ description: "For the caller of a denied call." }),
    contentHash: sha256.openapi({
      description: "`contentHash` of the content that the approver reviewed.",
    }),
    edited: edited.optional(),
  })
  .refine(({ decision, edited: edits }) => decision === "approve" || edits === undefined, {
    message: "`edited` requires the decision `approve`.",
    path: ["edited"],
  })
  .refine(({ decision, explanation }) => decision === "deny" || explanation === undefined, {
    message: "`explanation` requires the decision `deny`.",
    path: ["explanation"],
  })
  .openapi("ApprovalDecision");
