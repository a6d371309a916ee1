/** What examples of the official SDK v2 do, directly and through the router in the mode `client`. */
import {
  Client,
  StreamableHTTPClientTransport,
  UrlElicitationRequiredError,
  type ElicitResult,
} from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import * as z from "zod";
import { createTenant } from "../fakes/caller.ts";
import { exampleNames, flags, startExample, type Example } from "../fakes/example-servers.ts";
import { proxyKey, register } from "../fakes/proxied.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import type { SdkServer } from "../fakes/sdk-server.ts";

const tenant = "examples";
let router: SharedRouter;
let key = "";
const servers = new Map<Example, SdkServer>();
const urls = new Map<Example, string>();

beforeAll(async () => {
  router = await borrowRouter();
  await createTenant(router, tenant, { provider: "demo" });
  key = await proxyKey(router, tenant);
  for (const name of exampleNames) {
    const server = await startExample(name);
    servers.set(name, server);
    const entry = { slug: name, url: server.url, sampling: "client" };
    urls.set(name, await register(router, tenant, entry));
  }
});
afterAll(async () => {
  await Promise.all([...servers.values()].map((server) => server.stop()));
});

const eras = ["auto", "legacy"] as const;
type Era = (typeof eras)[number];
const ways = ["directly", "through the router"] as const;
type Way = (typeof ways)[number];

async function connected<T>(
  about: { name: Example; way: Way; era: Era },
  prepare: (client: Client) => void,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const { name, way, era } = about;
  const url = way === "directly" ? servers.get(name)?.url : urls.get(name);
  const client = new Client(
    { name: "example", version: "1" },
    {
      versionNegotiation: { mode: era },
      capabilities: { elicitation: { form: {}, url: {} } },
    },
  );
  prepare(client);
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url ?? ""), {
      requestInit: { headers: { Authorization: `Bearer ${key}` } },
    }),
  );
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

const textOf = ({ content }: { content: unknown }): unknown =>
  (content as { text?: string }[])[0]?.text;
const read = async (client: Client, uri: string): Promise<unknown> =>
  (await client.readResource({ uri })).contents.map((one) => ("text" in one ? one.text : null));
const none = (): void => undefined;

/** Each says what its client saw. */
const stories: Record<Example, (way: Way, era: Era) => Promise<unknown>> = {
  resources(way, era) {
    const updated = Promise.withResolvers<string>();
    return connected(
      { name: "resources", way, era },
      (client) =>
        client.setNotificationHandler("notifications/resources/updated", ({ params }) =>
          updated.resolve(params.uri),
        ),
      async (client) => {
        const uri = "counter://value";
        const listed = (await client.listResources()).resources.map((one) => one.uri);
        const { resourceTemplates } = await client.listResourceTemplates();
        const texts = [await read(client, "config://app"), await read(client, "greeting://world")];
        const listening =
          era === "auto" ? await client.listen({ resourceSubscriptions: [uri] }) : null;
        if (listening === null) await client.subscribeResource({ uri });
        const bumped = textOf(await client.callTool({ name: "increment" }));
        // A server without sessions has no stream on which an older client could hear of it.
        const heard = listening === null ? "nothing" : await updated.promise;
        const isCurrent = JSON.stringify(await read(client, uri)) === JSON.stringify([bumped]);
        if (listening === null) await client.unsubscribeResource({ uri });
        else await listening.close();
        const templates = resourceTemplates.map(({ uriTemplate }) => uriTemplate);
        return { listed, templates, texts, heard, isCurrent };
      },
    );
  },

  "custom-methods"(way, era) {
    const stages: string[] = [];
    return connected(
      { name: "custom-methods", way, era },
      (client) =>
        client.setNotificationHandler(
          "acme/searchProgress",
          { params: z.object({ stage: z.string() }) },
          ({ stage }) => void stages.push(stage),
        ),
      async (client) => {
        const found = await client.request(
          { method: "acme/search", params: { query: "mcp", limit: 3 } },
          z.object({ items: z.array(z.string()) }),
        );
        return { ...found, stages };
      },
    );
  },

  "extension-capabilities": (way, era) =>
    connected({ name: "extension-capabilities", way, era }, none, async (client) => ({
      extensions: client.getServerCapabilities()?.extensions,
      revision: client.getNegotiatedProtocolVersion(),
    })),

  "schema-validators": (way, era) =>
    connected({ name: "schema-validators", way, era }, none, async (client) => {
      const { tools } = await client.listTools();
      const called = (name: string, args: Record<string, unknown>) =>
        client.callTool({ name, arguments: args });
      return {
        tools: tools.map(({ name, inputSchema, outputSchema }) => [
          name,
          inputSchema,
          outputSchema,
        ]),
        greeted: textOf(await called("greet", { name: "world" })),
        weather: (await called("get-weather", { city: "Tokyo" })).structuredContent,
        forecasts: await called("list-forecasts", { city: "Tokyo" }),
      };
    }),

  elicitation(way, era) {
    // By its id; a completion may come on another stream than what it completes, and before it.
    const completions = new Map<string, PromiseWithResolvers<void>>();
    const completionOf = (id: string): PromiseWithResolvers<void> => {
      const known = completions.get(id) ?? Promise.withResolvers<void>();
      completions.set(id, known);
      return known;
    };
    let action: "accept" | "decline" = "accept";
    const answers: Record<string, string> = {
      username: "alice",
      destination: "Tokyo",
      departure: "2026-09-01",
    };
    const prepare = (client: Client): void => {
      client.setNotificationHandler("notifications/elicitation/complete", ({ params }) =>
        completionOf(params.elicitationId).resolve(),
      );
      client.setRequestHandler("elicitation/create", async ({ params }): Promise<ElicitResult> => {
        if (params.mode === "url") {
          const { elicitationId } = params as { elicitationId?: string };
          // In 2026-07-28 nothing tells when the person has finished.
          if (elicitationId !== undefined) await completionOf(elicitationId).promise;
          return { action: "accept" };
        }
        if (action === "decline") return { action };
        const asked = Object.keys(params.requestedSchema.properties);
        return {
          action,
          content: Object.fromEntries(asked.map((name) => [name, answers[name] ?? ""])),
        };
      });
    };
    return connected({ name: "elicitation", way, era }, prepare, async (client) => {
      const said = async (name: string): Promise<unknown> =>
        textOf(await client.callTool({ name }));
      const registered = await said("register_user");
      action = "decline";
      const declined = await said("register_user");
      action = "accept";
      const [trip, linked] = [await said("plan_trip"), await said("link_account")];
      if (era === "auto") return { registered, declined, trip, linked };
      const thrown: unknown = await said("confirm_payment").catch((error: unknown) => error);
      const urlsOf =
        thrown instanceof UrlElicitationRequiredError && thrown.elicitations.map(({ url }) => url);
      return { registered, declined, trip, linked, thrown: urlsOf };
    });
  },

  "dual-era": (way, era) =>
    connected({ name: "dual-era", way, era }, none, async (client) => ({
      tools: (await client.listTools()).tools.map(({ name }) => name),
      greeted: textOf(await client.callTool({ name: "greet", arguments: { name: "you" } })),
      revision: client.getNegotiatedProtocolVersion(),
      instructions: client.getInstructions(),
    })),
};

it.each(exampleNames.flatMap((name) => eras.map((era) => [name, era] as const)))(
  "%s is the same through the router: %s",
  async (name, era) => {
    const story = stories[name];
    const direct = await story("directly", era);
    expect(await story("through the router", era)).toEqual(direct);
    expect(direct).toMatchObject(expected[name](era));
  },
);

const revisionOf = (era: Era): string => (era === "auto" ? "2026-07-28" : "2025-11-25");
const forecasts = [{ hour: "09:00", celsius: 18 }];
/** So that two who see nothing are not the same. */
const expected: Record<Example, (era: Era) => object> = {
  resources: (era) => ({
    texts: [['{"feature":true}'], ["Hello, world!"]],
    heard: era === "auto" ? "counter://value" : "nothing",
    isCurrent: true,
  }),
  "custom-methods": () => ({ items: ["mcp-0", "mcp-1", "mcp-2"], stages: ["start", "done"] }),
  "extension-capabilities": (era) => ({
    extensions: { "com.example/feature-flags": flags },
    revision: revisionOf(era),
  }),
  "schema-validators": (era) => ({
    greeted: "Hello, world!",
    weather: { city: "Tokyo", celsius: 21 },
    forecasts: { structuredContent: era === "auto" ? forecasts : { result: forecasts } },
  }),
  elicitation: (era) => ({
    registered: "registered alice",
    declined: "decline",
    trip: "Tokyo 2026-09-01",
    linked: "accept",
    ...(era === "auto" ? {} : { thrown: ["https://example.com/confirm"] }),
  }),
  "dual-era": (era) => ({
    greeted: `Hello, you! (${era === "auto" ? "modern" : "legacy"})`,
    revision: revisionOf(era),
    instructions: "Greets.",
  }),
};

it.each(eras)(
  "fifty clients in a row are asked for what a person says: %s",
  async (era) => {
    for (let run = 1; run <= 50; run += 1)
      expect(await stories.elicitation("through the router", era), `run ${run}`).toEqual(
        expected.elicitation(era),
      );
  },
  300_000,
);
