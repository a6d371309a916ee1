import { z } from "@hono/zod-openapi";
import type { EndpointPolicy } from "../../domain/choice/policy.ts";
import { line, type ShapeOf } from "./schemas.ts";

const maxEntries = 50;
const isSmall = (entries: object): boolean => Object.keys(entries).length <= maxEntries;

export const endpointPolicy = z
  .strictObject({
    store: z.literal("never").optional().openapi({
      description:
        "never: requests that have their provider store the conversation, or that refer to a stored one, are refused. Default: as the request says.",
    }),
    priceFactors: z
      .record(line(100), z.number().min(0).max(100))
      .refine(isSmall, `At most ${maxEntries}.`)
      .optional()
      .openapi({
        description:
          "By a value of service_tier, speed or inference_geo: by how much the model's prices are multiplied. Values that are not listed are refused.",
        example: { priority: 2, flex: 0.5 },
      }),
    toolUsd: z
      .record(line(100), z.number().min(0).max(100))
      .refine(isSmall, `At most ${maxEntries}.`)
      .optional()
      .openapi({
        description:
          "By the beginning of a tool's type: USD for each use of a tool that the provider runs. Tools that are not listed are refused.",
        example: { web_search: 0.01 },
      }),
    deniedBetas: z.array(line(100)).max(maxEntries).optional().openapi({
      description: "Values of the header anthropic-beta that aren't sent to the provider.",
    }),
  } satisfies ShapeOf<EndpointPolicy>)
  .openapi("ModelEndpointPolicy");
