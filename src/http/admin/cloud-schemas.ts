/** Schemas of the credentials of clouds. */
import { z } from "@hono/zod-openapi";
import { geographies } from "../../domain/models/cloud-place.ts";
import { like, modelId } from "./model-names.ts";
import { line } from "./schemas.ts";

const text = z.string().min(1).max(4_096);
const hostLabel = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, "Use only lowercase letters, digits and hyphens.");
const roleArn = z
  .string()
  .regex(/^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,200}$/, "Must be the ARN of an IAM role.")
  .openapi({ example: "arn:aws:iam::123456789012:role/sampling" });

const cloudAuth = z
  .union([
    z.strictObject({ apiKey: text }),
    z.strictObject({
      tenantId: z.string().regex(/^[\w.-]{1,100}$/, "Must be the directory's id or domain."),
      clientId: text,
      clientSecret: text,
    }),
    z.strictObject({
      accessKeyId: text,
      secretAccessKey: text,
      sessionToken: text.exactOptional(),
    }),
    z.strictObject({ roleArn }),
    z.strictObject({ hostIdentity: z.literal(true) }),
    z.strictObject({
      serviceAccount: z.union([z.string().max(16_384), z.looseObject({})]),
    }),
  ])
  .openapi("CloudAuth", {
    description:
      "`azure`: an API key of the resource, or the tenant id, client id and secret of a Microsoft Entra app. " +
      "`bedrock`: a Bedrock API key, an access key, or a role that trusts the operator's identity. " +
      "`vertex`: the JSON of a service account's key file, of which only the email and the key are stored. " +
      "`hostIdentity`: the identity of the router's machine, if the operator allows it for the tenant.",
  });

const deployment = z.strictObject({
  id: modelId,
  model: like,
  provisioned: z.boolean().optional().openapi({
    description: "Billed per hour, so calls have no cost of their own.",
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
  region: hostLabel
    .optional()
    .openapi({ description: "`bedrock`: the region.", example: "eu-central-1" }),
  geography: z.enum(geographies).nullable().optional().openapi({
    description:
      "`bedrock`: the geography of the inference profiles. Requests stay within this geography, or in the region if it is null.",
    example: "eu",
  }),
  project: z
    .string()
    .regex(/^[a-z0-9.:-]{1,100}$/, "Must be a project id.")
    .optional()
    .openapi({ description: "`vertex`: the project's id." }),
  location: hostLabel.optional().openapi({
    description: "`vertex`: a region, a multi-region, or `global`.",
    example: "europe-west1",
  }),
  tokenUrl: line(500).optional().openapi({
    description: "Replaces the cloud's token server. Only the operator can set it.",
  }),
};

export const cloudMembers = { auth: cloudAuth.optional(), ...placeMembers };

export const shownCloudMembers = {
  ...placeMembers,
  authKind: z
    .enum(["apiKey", "clientSecret", "accessKey", "role", "serviceAccount", "hostIdentity"])
    .optional()
    .openapi({ description: "How a cloud's credential authenticates." }),
  externalId: z.string().optional().openapi({
    description: "The external id that the role's trust policy has to require.",
  }),
};
