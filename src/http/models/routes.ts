/** For programs that speak to model APIs directly. The same below `/t/{tenant}/v1`. */
import { Hono, type Context } from "hono";
import { ok } from "../../domain/result.ts";
import { tokensMeasured, measureInput } from "../../domain/sampling/estimate.ts";
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
import { declared, postModelCall, type ModelEndpoint } from "./post.ts";

const inputOf = (c: Context<HttpEnv>): ModelRequest => ({
  request: c.req.raw,
  url: c.req.url,
  requestId: c.get("requestId"),
  tenant: c.req.param("tenant"),
});

const answered = (answer: BufferedAnswer | StreamedAnswer): Response =>
  responseOf(clientAnswer(answer));

const call =
  (endpoint: ModelEndpoint) =>
  async (c: Context<HttpEnv>): Promise<Response> =>
    answered(await postModelCall(c.get("services").models, endpoint, inputOf(c)));

/** Anthropic's SDK names the API's version in each request. */
const dialectOf = (c: Context<HttpEnv>): Dialect =>
  c.req.header("anthropic-version") === undefined ? "openai" : "anthropic";

async function list(c: Context<HttpEnv>): Promise<Response> {
  const [dialect, input] = [dialectOf(c), inputOf(c)];
  const { requestId } = input;
  const name = c.req.param("name");
  const services = c.get("services").models;
  const listed = await (name === undefined
    ? listedModels(services, input, dialect)
    : listedModel(services, input, { name, dialect }));
  return answered(
    listed.ok
      ? { status: 200, headers: idHeaders(requestId), body: listed.value }
      : errorAnswer(listed.error, { dialect, requestId }),
  );
}

/** The provider's count, or an estimate. No model is asked, so nothing is charged or recorded. */
async function count(c: Context<HttpEnv>): Promise<Response> {
  const input = { ...inputOf(c), freshness: "database" } as const;
  const { requestId } = input;
  const services = c.get("services").models;
  const counted = await inSlot(services, input, async ({ body, bytes, caller, slot }) => {
    const asked = countedRequest(body);
    if (!asked.ok) return asked;
    const { headers, signal } = input.request;
    const passed = passedFrom({ headers, url: input.url }, "messages", { body: bytes, caller });
    const found = await (slot ?? unscheduled).outside(() =>
      services.countTokens({
        call: asked.value,
        passed: { ...passed, addsLimit: false },
        declared,
        caller,
        signal: AbortSignal.any([signal, AbortSignal.timeout(countsWithinMs)]),
      }),
    );
    const tokens = tokensMeasured(measureInput(asked.value), "anthropic");
    const answer = found ?? { input_tokens: tokens };
    return ok({ status: 200, headers: idHeaders(requestId), body: answer });
  });
  return answered(
    counted.ok ? counted.value : errorAnswer(counted.error, { dialect: "anthropic", requestId }),
  );
}

/** ms after which an estimate is better than a count */
const countsWithinMs = 5_000;

const allowing =
  (allow: string, dialect: Dialect) =>
  (c: Context<HttpEnv>): Response =>
    answered(
      errorAnswer(
        { reason: "method_not_allowed", allow },
        { dialect, requestId: c.get("requestId") },
      ),
    );

export const modelRoutes = (): Hono<HttpEnv> =>
  new Hono<HttpEnv>()
    .use(challengeUnauthenticated("models"))
    .post("/chat/completions", call(modelEndpoints["chat/completions"]))
    .all("/chat/completions", allowing("POST", "openai"))
    .post("/responses", call(modelEndpoints.responses))
    .all("/responses", allowing("POST", "openai"))
    .post("/messages", call(modelEndpoints.messages))
    .all("/messages", allowing("POST", "anthropic"))
    .post("/messages/count_tokens", count)
    .all("/messages/count_tokens", allowing("POST", "anthropic"))
    .get("/models", list)
    .all("/models", allowing("GET, HEAD", "openai"))
    .get("/models/:name{.+}", list)
    .all("/models/:name{.+}", allowing("GET, HEAD", "openai"));
