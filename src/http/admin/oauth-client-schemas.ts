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
        description: "Absent: every program. Empty: none.",
        example: ["claude.ai", "*.example.com"],
      }),
    deniedDomains: domains.max(200).optional(),
  } satisfies ShapeOf<OauthClientPolicy>)
  .openapi("OauthClientPolicy", {
    description:
      "Which programs people may connect by OAuth. A program's domain is that of its `client_id`; of a program that registered itself, the domain to which the browser goes on, or `localhost` for the person's own computer.",
  });
