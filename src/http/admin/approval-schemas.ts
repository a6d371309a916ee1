import { z } from "@hono/zod-openapi";
import { approvalStages } from "../../domain/sampling/approval.ts";
import { names } from "./record-schemas.ts";
import { millis, pageQuery } from "./schemas.ts";

const states = ["waiting", "approved", "denied", "expired", "begun", "withdrawn"] as const;
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "A SHA-256 in hex.");

export const approvalQuery = pageQuery.extend({ state: z.enum(states).optional() });

export const listedApproval = z
  .object({
    tenantId: z.string(),
    requestId: z.string(),
    stage: z.enum(approvalStages),
    keyId: z.string().openapi({ description: "The key that asks." }),
    state: z.enum(states).openapi({
      description:
        "waiting: somebody has to decide. approved: its caller may come for it. begun: it ran. expired: nobody decided, or nobody came for it. withdrawn: its caller cancelled it.",
    }),
    createdAt: millis,
    deadline: millis.openapi({
      description: "Until when somebody may decide; of an approved call, until when it waits.",
    }),
    onTimeout: z.enum(["deny", "approve"]),
    why: z.array(z.string()).openapi({
      description: "Which conditions of the rule hold. Empty: the rule is for every call.",
    }),
    shown: sha256.openapi({ description: "Of what is shown. A decision names it." }),
    decidedAt: millis.nullable(),
    decidedBy: z.string().nullable().openapi({
      description: "`operator`, a person's name, the id of a key, `timeout`, or `caller`.",
    }),
    decidedBySubject: z.string().nullable().openapi({
      description:
        "The tenant's keyed hash of the deciding person's issuer and subject; the same for the same person. null: no person is known.",
    }),
    isOwn: z.boolean().openapi({
      description: "Whether the person who decided is the one whose call it is.",
    }),
    comment: z.string().nullable(),
    edited: z
      .object({ content: sha256.optional(), model: z.string().optional() })
      .nullable()
      .openapi({
        description: "What the approver changed: the hash of the new content, the model.",
      }),
  })
  .openapi("ListedApproval");

export const approvalDetail = listedApproval
  .extend({
    content: z.record(z.string(), z.unknown()).nullable().openapi({
      description:
        "Of a request: `who` asks, the `call` with its messages, the chosen `model`, `alternatives`, the `estimate`, and `reservedUsd`, which is the most that it may cost. null: kept no longer.",
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
      description: "Of a result: the text that takes its place.",
    }),
    model: z
      .string()
      .max(200)
      .regex(/^[^/*]+\/[^*]+$/, "provider/model")
      .optional(),
  })
  .refine((edits) => Object.keys(edits).length > 0, "Name what is to change.")
  .openapi("ApprovalEdits", {
    description:
      "What takes the place of the caller's messages, system prompt, and of the chosen model. The call is chosen and reserved anew; over a budget that is refused, and the call waits on.",
  });

export const approvalDecision = z
  .strictObject({
    decision: z.enum(["approve", "deny"]),
    reason: z.string().min(1).max(1_000).optional(),
    shown: sha256.openapi({ description: "`shown` of what the approver read." }),
    edited: edited.optional(),
  })
  .refine(({ decision, edited: edits }) => decision === "approve" || edits === undefined, {
    message: "Only what is approved is edited.",
    path: ["edited"],
  })
  .openapi("ApprovalDecision");
