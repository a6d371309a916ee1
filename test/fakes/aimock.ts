/** A faithful provider on loopback: `@copilotkit/aimock` behind a relay that keeps what was sent. */
import { LLMock, type Fixture, type FixtureFileEntry } from "@copilotkit/aimock";
import { startWireServer } from "./wire-server.ts";

/** One request as it came over the wire. aimock's own journal holds a rewritten one. */
export interface WireRequest {
  method: string;
  /** path and query */
  path: string;
  /** names in lower case; keys included, as they were sent */
  headers: Record<string, string>;
  /** parsed JSON; null when there was none */
  body: Record<string, unknown> | null;
  /** HTTP status that aimock answered with; 0 while it hasn't */
  status: number;
}

export interface Aimock {
  /** Base URL for a credential of that provider: `openai`, `anthropic`, `google`, or any compatible one. */
  url(provider: string): string;
  /** Every request since the start or the last `clear`, oldest first. */
  journal(): Promise<WireRequest[]>;
  /** Forgets the journal; fixtures stay. */
  clear(): void;
  stop(): Promise<void>;
}

/** Of the answer's headers, those that describe the body as it was, or the connection. */
const notRelayed = new Set([
  "content-encoding",
  "content-length",
  "transfer-encoding",
  "connection",
]);

/**
 * Starts aimock, strict (a request that no fixture matches is answered 503), on a random port of
 * 127.0.0.1, speaking OpenAI (Chat Completions and Responses), Anthropic and Gemini.
 *
 * Set `usage` in every fixture, in all three spellings (see `usageOf`): aimock's default is 0 or
 * a guess of its own, by provider; 0 counts as "none reported".
 *
 * @param fixtures aimock's fixtures: `{match: {userMessage: "…"}, response: {content: "…", usage}}`,
 *   as objects or as the entries of a fixture file
 * @example
 * const aimock = await startAimock([{ match: { userMessage: "hello" }, response: { content: "Hi!", usage: usageOf(11, 7) } }]);
 * const baseUrl = aimock.url("anthropic");
 * const [sent] = await aimock.journal();
 * await aimock.stop();
 */
export async function startAimock(fixtures: (Fixture | FixtureFileEntry)[]): Promise<Aimock> {
  const mock = new LLMock({ port: 0, host: "127.0.0.1", strict: true });
  for (const fixture of fixtures) {
    if (isObjectFixture(fixture)) mock.addFixture(fixture);
    else mock.addFixturesFromJSON([fixture]);
  }
  await mock.start();
  let seen: WireRequest[] = [];

  const server = await startWireServer({
    receives({ method, path, headers, bytes, json }) {
      seen.push({ method, path, headers, body: bytes.length === 0 ? null : json, status: 0 });
    },
    async answers({ method, path, headers, bytes }, response) {
      const entry = seen.findLast((each) => each.headers === headers);
      const { host: _, connection: __, "content-length": ___, ...forwarded } = headers;
      const answer = await fetch(`${mock.url}${path}`, {
        method,
        headers: forwarded,
        ...(bytes.length === 0 ? {} : { body: new Uint8Array(bytes) }),
      });
      if (entry !== undefined) entry.status = answer.status;
      response.writeHead(
        answer.status,
        Object.fromEntries([...answer.headers].filter(([name]) => !notRelayed.has(name))),
      );
      response.end(Buffer.from(await answer.arrayBuffer()));
    },
  });

  return {
    url: (provider) => server.url(provider),
    journal: async () => [...seen],
    clear: () => {
      seen = [];
    },
    stop: async () => {
      await server.stop();
      await mock.stop();
    },
  };
}

/** Matchers that JSON can't hold go in as they are; the rest is validated like a fixture file. */
const isObjectFixture = (fixture: Fixture | FixtureFileEntry): fixture is Fixture =>
  typeof fixture.response === "function" ||
  Object.values(fixture.match).some(
    (value) => value instanceof RegExp || typeof value === "function",
  );

/** Usage for a fixture, in the spelling of each provider. Tokens. */
export const usageOf = (input: number, output: number): Record<string, number> => ({
  prompt_tokens: input,
  completion_tokens: output,
  input_tokens: input,
  output_tokens: output,
  promptTokenCount: input,
  candidatesTokenCount: output,
});
