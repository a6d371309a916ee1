/** Describes the model endpoints in the OpenAPI document. For bodies, see OpenAI's and Anthropic's references. */
import { z, type OpenAPIHono } from "@hono/zod-openapi";

const json = "application/json";
const content = (schema: z.ZodType) => ({ [json]: { schema } });

const asked = z
  .looseObject({ model: z.string().openapi({ example: "auto" }) })
  .openapi("ModelRequest", {
    description: "A request of the API in the path, with a model's name, an alias or `auto`.",
  });
const answer = z
  .looseObject({})
  .openapi("ModelAnswer", { description: "The response of the API in the path." });
const wrong = z
  .looseObject({
    error: z.looseObject({
      type: z.string(),
      message: z.string(),
      reason: z.string().openapi({ description: "See docs/errors.md." }),
      requestId: z.string(),
    }),
  })
  .openapi("ModelError", { description: "An error in the format of the API in the path." });

/** See docs/models.md. */
const faults: Readonly<Record<string, string>> = {
  400: "The request can't be served as it is.",
  401: "No key, an unknown key, or two keys.",
  402: "A budget is used up (Anthropic).",
  403: "Not allowed (Anthropic), or an origin that is not allowed.",
  404: "No such model (OpenAI), or another tenant's path.",
  409: "An approval is pending, or the idempotency key is in use.",
  413: "The body is too large.",
  415: "The body is not JSON.",
  429: "A limit is reached.",
  500: "The router failed.",
  503: "No provider can answer (OpenAI).",
  529: "No provider can answer (Anthropic).",
};

const description =
  "Change the base URL and the key of an OpenAI or Anthropic SDK. Needs the scope `models`. See docs/models.md.";

const posts = [
  ["/chat/completions", "createChatCompletion", "Call a model with OpenAI's Chat Completions API"],
  ["/responses", "createResponse", "Call a model with OpenAI's Responses API"],
  ["/messages", "createMessage", "Call a model with Anthropic's Messages API"],
  ["/messages/count_tokens", "countMessageTokens", "Estimate a request's tokens (Anthropic)"],
] as const;
const gets = [
  ["/models", "listServedModels", "List the models that the key can use"],
  ["/models/{id}", "getServedModel", "Get a model that the key can use"],
] as const;

const tenant = z.string().openapi({ param: { description: "The tenant's slug." } });
const id = z.string().openapi({ param: { description: "A model's name, an alias, or `auto`." } });
/** The second base is for access tokens. */
const bases = [
  { base: "/v1", suffix: "", params: {} },
  { base: "/t/{tenant}/v1", suffix: "OfTenant", params: { tenant } },
];

const responses = {
  200: { description: "Success.", content: content(answer) },
  ...Object.fromEntries(
    Object.entries(faults).map(([status, meaning]) => [
      status,
      { description: meaning, content: content(wrong) },
    ]),
  ),
};

export function describeModelEndpoints(registry: OpenAPIHono["openAPIRegistry"]): void {
  for (const { base, suffix, params } of bases) {
    const shared = { security: [{ modelsKey: [] }], tags: ["Models"], description, responses };
    for (const [path, operationId, summary] of posts)
      registry.registerPath({
        ...shared,
        method: "post",
        path: `${base}${path}`,
        operationId: `${operationId}${suffix}`,
        summary,
        request: {
          params: z.object(params),
          body: { required: true, content: content(asked) },
        },
      });
    for (const [path, operationId, summary] of gets)
      registry.registerPath({
        ...shared,
        method: "get",
        path: `${base}${path}`,
        operationId: `${operationId}${suffix}`,
        summary,
        request: { params: z.object({ ...params, ...(path !== "/models" && { id }) }) },
      });
  }
}
