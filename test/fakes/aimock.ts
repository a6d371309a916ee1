/** A faithful provider on loopback: `@copilotkit/aimock` behind a relay that keeps what was sent. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { LLMock, type Fixture, type FixtureFileEntry } from "@copilotkit/aimock";

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

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}

function parsed(bytes: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
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

  const relay = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const bytes = await bytesOf(request);
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(request.headers))
      if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
    const entry: WireRequest = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers,
      body: parsed(bytes),
      status: 0,
    };
    seen.push(entry);
    const { host: _, connection: __, "content-length": ___, ...forwarded } = headers;
    const answer = await fetch(`${mock.url}${entry.path}`, {
      method: entry.method,
      headers: forwarded,
      ...(bytes.length === 0 ? {} : { body: new Uint8Array(bytes) }),
    });
    entry.status = answer.status;
    response.writeHead(
      answer.status,
      Object.fromEntries([...answer.headers].filter(([name]) => !notRelayed.has(name))),
    );
    response.end(Buffer.from(await answer.arrayBuffer()));
  };
  const server = createServer((request, response) => {
    relay(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url: (provider) => `${origin}/${provider === "google" ? "v1beta" : "v1"}`,
    journal: async () => [...seen],
    clear: () => {
      seen = [];
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
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
