/** Members of clouds' credentials. */
import { z } from "@hono/zod-openapi";
import { geographies } from "../../domain/models/cloud-place.ts";
import { like, modelId } from "./model-names.ts";
import { line } from "./schemas.ts";

const text = z.string().min(1).max(4_096);
/** Part of a host name or path. */
const label = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, "Lower-case letters, digits and hyphens.");
const roleArn = z
  .string()
  .regex(/^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,200}$/, "The ARN of a role.")
  .openapi({ example: "arn:aws:iam::123456789012:role/sampling" });

const cloudAuth = z
  .union([
    z.strictObject({ apiKey: text }),
    z.strictObject({
      tenantId: z.string().regex(/^[\w.-]{1,100}$/, "The directory's id, or its domain."),
      clientId: text,
      clientSecret: text,
    }),
    z.strictObject({
      accessKeyId: text,
      secretAccessKey: text,
      sessionToken: text.exactOptional(),
    }),
    z.strictObject({ roleArn }),
    z.strictObject({
      serviceAccount: z.union([z.string().max(16_384), z.looseObject({})]),
    }),
  ])
  .openapi("CloudAuth", {
    description:
      "`azure`: a key of the resource, or tenant, client, and secret of an app in Microsoft Entra ID. " +
      "`bedrock`: a Bedrock API key, an access key, or a role that trusts the operator's identity. " +
      "`vertex`: the JSON of a service account's key file, of which only the email and the key are kept.",
  });

const deployment = z.strictObject({
  id: modelId,
  model: like,
  provisioned: z.boolean().optional().openapi({
    description: "Paid by the hour: calls cost nothing more.",
  }),
});

const placeMembers = {
  endpoint: line(500).optional().openapi({
    description: "`azure`: the resource's endpoint.",
    example: "https://acme.openai.azure.com",
  }),
  deployments: z
    .array(deployment)
    .min(1)
    .max(500)
    .optional()
    .openapi({
      description: "`azure`: the deployments, each with its base model as provider/model.",
      example: [{ id: "prod-chat", model: "openai/gpt-5-mini" }],
    }),
  region: label
    .optional()
    .openapi({ description: "`bedrock`: the region.", example: "eu-central-1" }),
  geography: z.enum(geographies).nullable().optional().openapi({
    description:
      "`bedrock`: the inference profiles to use. Requests stay within it. null: requests stay in the region.",
    example: "eu",
  }),
  project: z
    .string()
    .regex(/^[a-z0-9.:-]{1,100}$/, "A project id.")
    .optional()
    .openapi({ description: "`vertex`: the project's id." }),
  location: label.optional().openapi({
    description: "`vertex`: a region, a multi-region, or `global`.",
    example: "europe-west1",
  }),
  tokenUrl: line(500).optional().openapi({
    description: "Replaces the cloud's token server. Only for the operator.",
  }),
};

export const cloudMembers = { auth: cloudAuth.optional(), ...placeMembers };

export const shownCloudMembers = {
  ...placeMembers,
  authKind: z
    .enum(["apiKey", "clientSecret", "accessKey", "role", "serviceAccount"])
    .optional()
    .openapi({ description: "How a cloud's credential authenticates." }),
  externalId: z.string().optional().openapi({
    description: "The external id that the role's trust policy has to require.",
  }),
};
