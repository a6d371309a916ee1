/** Unmodified clients read streams to their end, and see an error wherever a provider's stream breaks. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { at } from "../fakes/caller.ts";
import { startModelWorld, type ModelWorld } from "../fakes/model-world.ts";
import type { RecordingProvider } from "../fakes/recording-provider.ts";
import { eventsAt, type Broken } from "../fakes/wire-streams.ts";
import { areClientsInstalled, clientModule } from "./clients/installed.ts";

const slug = "client-streams";
const text = "Some words, in pieces.";
const ask = [{ role: "user", content: "Hello." }];

interface Place {
  base: string;
  apiKey: string;
}
type Events = Promise<AsyncIterable<object>>;
type Make<Made> = new (options: object) => Made;
interface OpenAI {
  chat: { completions: { create(body: object): Events } };
  responses: { create(body: object): Events };
}
interface Anthropic {
  messages: { create(body: object): Events };
}

const openaiAt = async ({ base, apiKey }: Place): Promise<OpenAI> => {
  const { default: Client } = await clientModule<{ default: Make<OpenAI> }>("openai");
  return new Client({ apiKey, baseURL: `${base}/v1`, maxRetries: 0 });
};

/** All that a client reads of the text. */
const clients: Readonly<Record<string, (place: Place, model: string) => Promise<string>>> = {
  async "OpenAI SDK, Chat Completions"(place, model) {
    const { chat } = await openaiAt(place);
    const events = await chat.completions.create({ model, messages: ask, stream: true });
    let said = "";
    for await (const event of events) said += String(at(event, "choices.0.delta.content") ?? "");
    return said;
  },
  async "OpenAI SDK, Responses"(place, model) {
    const { responses } = await openaiAt(place);
    const events = await responses.create({ model, input: "Hello.", stream: true, store: false });
    let said = "";
    for await (const event of events)
      if (at(event, "type") === "response.output_text.delta") said += String(at(event, "delta"));
    return said;
  },
  async "Anthropic SDK"({ base, apiKey }, model) {
    const { default: Client } = await clientModule<{ default: Make<Anthropic> }>(
      "@anthropic-ai/sdk",
    );
    const { messages } = new Client({ apiKey, baseURL: base, maxRetries: 0 });
    const events = await messages.create({ model, max_tokens: 50, messages: ask, stream: true });
    let said = "";
    for await (const event of events) said += String(at(event, "delta.text") ?? "");
    return said;
  },
};

// Only `npm run clients` installs them.
describe.skipIf(!areClientsInstalled)("an unmodified client", () => {
  let provider: RecordingProvider;
  let place: Place;
  let admin: ModelWorld["admin"];

  beforeAll(async () => {
    const world = await startModelWorld(slug);
    ({ provider, admin } = world);
    place = { base: world.base, apiKey: await world.keyWith() };
  });
  afterAll(() => provider.stop());

  const models = {
    "anthropic/claude-haiku-4-5": "anthropic",
    "openai/gpt-4.1-mini": "openai-chat",
  };
  const cases = Object.entries(clients).flatMap(([name, read]) =>
    Object.entries(models).map(([model, wire]) => ({ name, read, model, wire: wire as never })),
  );

  it.each(cases)("$name, reads a stream of $model to its end", async ({ read, model }) => {
    provider.says({ text });
    expect(await read(place, model)).toBe(text);
  });

  it.each(cases)(
    "$name, fails wherever a stream of $model breaks",
    async ({ read, model, wire }) => {
      const events = eventsAt(wire, { text });
      const last = events.findLastIndex((event) => !event.includes("[DONE]"));
      for (let after = 0; after < last; after += 1)
        for (const how of ["cut", "clean", "error", "garbage"] satisfies Broken[]) {
          provider.says({ text, breaks: { after, how } });
          const ended = read(place, model).then(
            () => "ended cleanly",
            () => "failed",
          );
          expect([after, how, await ended]).toEqual([after, how, "failed"]);
        }
      const { body } = await admin("GET", `/tenants/${slug}/requests?limit=1`);
      expect(at(body, "data.0.outcome") ?? at(body, "requests.0.outcome")).not.toBe("admitted");
    },
  );
});
