/** The models that a key can use, as OpenAI and Anthropic list theirs. */
import { autoModel } from "../../domain/choice/named-models.ts";
import type { JsonObject } from "../../domain/json.ts";
import { nameOf, type Model } from "../../domain/models/model.ts";
import { isNamed } from "../../domain/models/named.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import type { ModelServices } from "../sampling-services.ts";
import { modelClaim, modelKeyOf } from "./caller.ts";
import { refuseMember } from "./decoded.ts";
import { unknownModel, type Dialect } from "./errors.ts";
import type { ModelRequest } from "./in-slot.ts";

interface Entry {
  id: string;
  title: string;
  owner: string;
}

const auto: Entry = { id: autoModel, title: "Chosen by the router", owner: "sampling-router" };

const entryOf = (model: Model): Entry => ({
  id: nameOf(model),
  title: model.name,
  owner: model.provider,
});

/** No source says when each model was made, so all have one moment. */
const epoch = 0;

const openaiEntry = ({ id, owner }: Entry): JsonObject => ({
  id,
  object: "model",
  created: epoch,
  owned_by: owner,
});

const anthropicEntry = ({ id, title }: Entry): JsonObject => ({
  type: "model",
  id,
  display_name: title,
  created_at: new Date(epoch).toISOString(),
});

const aliasEntry = (id: string): Entry => ({
  id,
  title: "Alias of your tenant",
  owner: auto.owner,
});

interface Listed {
  chosen: Entry[];
  models: Model[];
}

async function modelsOf(
  services: ModelServices,
  { request, tenant }: ModelRequest,
): Promise<Result<Listed, Refusal>> {
  const token = modelKeyOf(request.headers);
  if (!token.ok) return token;
  const caller = await services.authenticate(modelClaim(token.value, tenant), "recent");
  if (!caller.ok) return caller;
  const { aliases = {} } = caller.value.snapshot.tenant.policy;
  return ok({
    chosen: [auto, ...Object.keys(aliases).toSorted().map(aliasEntry)],
    models: services.servedModels(caller.value),
  });
}

/** As Anthropic's API allows. A client that names no limit may read one page alone, so that gets the most. */
const maxListed = 1_000;

/** Anthropic's pages: `limit`, and `after_id` or `before_id`, which name an entry of another page. */
function pageOf(entries: readonly Entry[], query: URLSearchParams): Result<JsonObject, Refusal> {
  const limit = Number(query.get("limit") ?? maxListed);
  if (!Number.isInteger(limit) || limit < 1 || limit > maxListed)
    return refuseMember("limit", `Expected a number from 1 to ${maxListed}.`);
  const [after, before] = [query.get("after_id"), query.get("before_id")];
  const named = after ?? before;
  const at = entries.findIndex(({ id }) => id === named);
  if (named !== null && at === -1)
    return refuseMember(after === null ? "before_id" : "after_id", "No entry has this id.");
  const rest = after === null && before !== null ? entries.slice(0, at) : entries.slice(at + 1);
  const page = after === null && before !== null ? rest.slice(-limit) : rest.slice(0, limit);
  return ok({
    data: page.map(anthropicEntry),
    has_more: page.length < rest.length,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  });
}

export async function listedModels(
  services: ModelServices,
  input: ModelRequest,
  dialect: Dialect,
): Promise<Result<JsonObject, Refusal>> {
  const listed = await modelsOf(services, input);
  if (!listed.ok) return listed;
  const { chosen, models } = listed.value;
  const entries = [...chosen, ...models.map(entryOf)];
  return dialect === "openai"
    ? ok({ object: "list", data: entries.map(openaiEntry) })
    : pageOf(entries, new URL(input.url).searchParams);
}

export async function listedModel(
  services: ModelServices,
  input: ModelRequest,
  { name, dialect }: { name: string; dialect: Dialect },
): Promise<Result<JsonObject, Refusal>> {
  const listed = await modelsOf(services, input);
  if (!listed.ok) return listed;
  const { chosen, models } = listed.value;
  const model = models.find((each) => isNamed(each, name));
  const entry = chosen.find(({ id }) => id === name) ?? (model && entryOf(model));
  if (entry === undefined) return err(unknownModel);
  return ok(dialect === "openai" ? openaiEntry(entry) : anthropicEntry(entry));
}
