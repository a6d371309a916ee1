/** The model endpoints, mounted at `/v1` and `/t/{tenant}/v1`. */
import { Hono, type Context } from "hono";
import { ok } from "../../domain/result.ts";
import { estimateInputTokens } from "../../domain/sampling/estimate.ts";
import { responseOf } from "../../domain/ports/client-answer.ts";
import type { HttpEnv } from "../context.ts";
import { challengeUnauthenticated } from "../middleware/challenge.ts";
import { errorAnswer, idHeaders, type BufferedAnswer, type Dialect } from "./errors.ts";
import { clientAnswer, modelEndpoints } from "./endpoints.ts";
import { listedModel, listedModels } from "./listing.ts";
import { countedRequest } from "./decoded-request.ts";
import { passedFrom } from "./passed-from.ts";
import { unscheduled } from "../../domain/sampling/call-slot.ts";
import type { StreamedAnswer } from "./stream.ts";
import { inSlot, type ModelRequest } from "./in-slot.ts";
import { assumedDeclarations, postModelCall, type ModelEndpoint } from "./post.ts";

const modelRequestOf = (c: Context<HttpEnv>): ModelRequest => ({
  request: c.req.raw,
  url: c.req.url,
  requestId: c.get("requestId"),
  tenant: c.req.param("tenant"),
});

const toResponse = (answer: BufferedAnswer | StreamedAnswer): Response =>
  responseOf(clientAnswer(answer));

const modelCall =
  (endpoint: ModelEndpoint) =>
  async (c: Context<HttpEnv>): Promise<Response> =>
    toResponse(await postModelCall(c.get("services").models, endpoint, modelRequestOf(c)));

/** Only Anthropic's clients send this header, and they send it with each request. */
const dialectOf = (c: Context<HttpEnv>): Dialect =>
  c.req.header("anthropic-version") === undefined ? "openai" : "anthropic";

async function getModels(c: Context<HttpEnv>): Promise<Response> {
  const [dialect, input] = [dialectOf(c), modelRequestOf(c)];
  const { requestId } = input;
  const name = c.req.param("name");
  const services = c.get("services").models;
  const listed = await (name === undefined
    ? listedModels(services, input, dialect)
    : listedModel(services, input, { name, dialect }));
  return toResponse(
    listed.ok
      ? { status: 200, headers: idHeaders(requestId), body: listed.value }
      : errorAnswer(listed.error, { dialect, requestId }),
  );
}

/** Returns the provider's count, or an estimate. Counting calls no model, so nothing is charged or recorded. */
async function countTokens(c: Context<HttpEnv>): Promise<Response> {
  const input = { ...modelRequestOf(c), freshness: "database" } as const;
  const { requestId } = input;
  const services = c.get("services").models;
  const counted = await inSlot(services, input, async ({ body, bytes, caller, slot }) => {
    const decoded = countedRequest(body);
    if (!decoded.ok) return decoded;
    const { headers, signal } = input.request;
    const passed = passedFrom({ headers, url: input.url }, "messages", { body: bytes, caller });
    const providerCount = await (slot ?? unscheduled).outside(() =>
      services.countTokens({
        call: decoded.value,
        passed: { ...passed, addsLimit: false },
        declared: assumedDeclarations,
        caller,
        signal: AbortSignal.any([signal, AbortSignal.timeout(countTimeoutMs)]),
      }),
    );
    const estimate = { input_tokens: estimateInputTokens(decoded.value, "anthropic") };
    return ok({ status: 200, headers: idHeaders(requestId), body: providerCount ?? estimate });
  });
  return toResponse(
    counted.ok ? counted.value : errorAnswer(counted.error, { dialect: "anthropic", requestId }),
  );
}

/** Then the client gets an estimate. */
const countTimeoutMs = 5_000;

const methodNotAllowed =
  (allow: string, dialect: Dialect) =>
  (c: Context<HttpEnv>): Response =>
    toResponse(
      errorAnswer(
        { reason: "method_not_allowed", allow },
        { dialect, requestId: c.get("requestId") },
      ),
    );

export const modelRoutes = (): Hono<HttpEnv> =>
  new Hono<HttpEnv>()
    .use(challengeUnauthenticated("models"))
    .post("/chat/completions", modelCall(modelEndpoints["chat/completions"]))
    .all("/chat/completions", methodNotAllowed("POST", "openai"))
    .post("/responses", modelCall(modelEndpoints.responses))
    .all("/responses", methodNotAllowed("POST", "openai"))
    .post("/messages", modelCall(modelEndpoints.messages))
    .all("/messages", methodNotAllowed("POST", "anthropic"))
    .post("/messages/count_tokens", countTokens)
    .all("/messages/count_tokens", methodNotAllowed("POST", "anthropic"))
    .get("/models", getModels)
    .all("/models", methodNotAllowed("GET, HEAD", "openai"))
    .get("/models/:name{.+}", getModels)
    .all("/models/:name{.+}", methodNotAllowed("GET, HEAD", "openai"));
