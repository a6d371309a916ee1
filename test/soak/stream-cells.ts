/** Streams for each pair of a client's and a provider's wire, known by a name in their prompts. */
import type { ModelEndpointName } from "../../src/domain/model-endpoint.ts";
import { at } from "../fakes/caller.ts";
import { sendStream, type Streamed } from "../fakes/recording-provider.ts";
import { endpoints, streamClient } from "../fakes/stream-clients.ts";
import type { StrictWire } from "../fakes/strict-wires.ts";
import { startWireServer, type WireServer } from "../fakes/wire-server.ts";
import type { Tenant, World } from "./world.ts";

export const text = "Some words, in pieces.";
/** What is all of an answer. */
export const whole: Streamed = { text, inputTokens: 100, outputTokens: 20 };

export interface Pair {
  endpoint: ModelEndpointName;
  model: string;
  /** the wire that the router speaks to the provider */
  wire: StrictWire;
}

/** Responses pass on unchanged to each of OpenAI's models. */
export const pairs: readonly Pair[] = endpoints.flatMap((endpoint) => [
  { endpoint, model: "anthropic/claude-haiku-4-5", wire: "anthropic" },
  {
    endpoint,
    model: "openai/gpt-4.1-mini",
    wire: endpoint === "responses" ? "openai-responses" : "openai-chat",
  },
  { endpoint, model: "openai/gpt-5-codex", wire: "openai-responses" },
]);

export const nameOfPair = ({ endpoint, model }: Pair): string =>
  `${endpoint}-${model.replace("/", "-")}`;

export interface NamedProvider extends WireServer {
  /** how often, and by which wire at last, the provider was asked by each name */
  asked: ReadonlyMap<string, { times: number; wire: StrictWire }>;
}

/** @param says the stream that a request of this name gets */
export async function startNamedProvider(says: (name: string) => Streamed): Promise<NamedProvider> {
  const asked = new Map<string, { times: number; wire: StrictWire }>();
  const server = await startWireServer({
    async answers({ bytes, wire }, response) {
      const name = /stream ([\w.-]+)/.exec(bytes.toString())?.[1];
      if (name === undefined || wire === null) return void response.destroy();
      asked.set(name, { times: (asked.get(name)?.times ?? 0) + 1, wire });
      await sendStream({ wire, response }, says(name));
    },
  });
  return { ...server, asked };
}

/** A tenant of which one key may call the model endpoints. */
export const modelTenant = (
  world: World,
  slug: string,
  { provider, policy }: { provider: WireServer; policy: object },
): Promise<Tenant> =>
  world.tenant(slug, {
    scopes: ["models"],
    policy,
    credentials: ["anthropic", "openai"].map((name) => ({
      provider: name,
      name,
      apiKey: `${name}-key`,
      baseUrl: provider.url(name),
    })),
  });

/** @returns the text that the client read, or `null` if it reported an error */
export const readNamed = (
  base: string,
  { key }: Pick<Tenant, "key">,
  { name, endpoint, model }: Pair & { name: string },
): Promise<string | null> =>
  streamClient(endpoint)({
    base,
    apiKey: key,
    headers: { "X-Router-Tag": name },
    model,
    prompt: `stream ${name}`,
  }).catch(() => null);

export interface NamedRecord {
  outcome: string;
  reason: string | null;
  attempts: { stream?: { status: string } }[];
  reserved: number;
  cost: number;
}

async function everyRecord({ admin }: World, slug: string): Promise<Record<string, unknown>[]> {
  const records: Record<string, unknown>[] = [];
  for (let cursor = ""; ;) {
    const page = await admin("GET", `/tenants/${slug}/requests?limit=200${cursor}`);
    records.push(...(page["data"] as Record<string, unknown>[]));
    if (typeof page["nextCursor"] !== "string") return records;
    cursor = `&cursor=${page["nextCursor"]}`;
  }
}

export async function recordsByName(
  world: World,
  slug: string,
  { id }: Tenant,
): Promise<Map<string, NamedRecord[]>> {
  const rows = await world.query(
    "select id, reserved_micro_usd from sampling_requests where tenant_id = ?",
    [id],
  );
  const reserved = new Map(rows.map((row) => [row["id"], Number(row["reserved_micro_usd"])]));
  const records = (await everyRecord(world, slug)).map((record) => ({
    name: String(at(record, "asked.tag")),
    outcome: String(record["outcome"]),
    reason: record["reason"] as string | null,
    attempts: record["attempts"] as NamedRecord["attempts"],
    reserved: reserved.get(record["id"]) ?? Number.NaN,
    cost: Number(record["costMicroUsd"]),
  }));
  return Map.groupBy(records, ({ name }) => name);
}
