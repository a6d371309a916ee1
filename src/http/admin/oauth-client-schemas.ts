import type { OauthClientPolicy } from "../../domain/choice/policy.ts";
import type { ShapeOf } from "./schemas.ts";
import { z } from "@hono/zod-openapi";

const domains = z.array(
  z
    .string()
    .max(253)
    .regex(/^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*$/i, "A domain, or *. and a domain."),
);

export const oauthClientPolicy = z
  .strictObject({
    allowedDomains: domains
      .max(200)
      .optional()
      .openapi({
        description: "Default: all programs. Empty: none.",
        example: ["claude.ai", "*.example.com"],
      }),
    deniedDomains: domains.max(200).optional(),
  } satisfies ShapeOf<OauthClientPolicy>)
  .openapi("OauthClientPolicy", {
    description:
      "Programs that people can connect by OAuth. A program's domain is that of its `client_id` URL, or of its redirect address if it registered itself (`localhost` on the person's computer).",
  });
