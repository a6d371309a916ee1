/** Providers over HTTP and as `fetch`, which refuse what breaks a limit of `strict-wires.ts` and pass on the rest. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isObject, type JsonObject } from "../../src/domain/json.ts";
import { refusalAt, type StrictWire } from "./strict-wires.ts";
import { answerAt, type Said } from "./wire-answers.ts";

export interface WireRequest {
  method: string;
  /** path and query, without the provider that `url` put before them */
  path: string;
  provider: string;
  /** names in lower case */
  headers: Record<string, string>;
  bytes: Buffer;
  /** null: another endpoint than one that makes a model speak */
  wire: StrictWire | null;
  /** the model that the path or the body names */
  model: string;
  json: JsonObject;
}

export interface WireServer {
  /** Base URL for a credential of that provider. */
  url(provider: string): string;
  stop(): Promise<void>;
}

const chatWires: Readonly<Record<string, StrictWire>> = {
  "": "openai-chat",
  openai: "openai-chat",
  mistral: "mistral",
  groq: "groq",
  deepseek: "deepseek",
};

export function wireAt(path: string, provider: string): StrictWire | null {
  if (path.includes("/messages")) return "anthropic";
  if (/:(stream)?generateContent/i.test(path)) return "google";
  if (path.includes("/responses")) return "openai-responses";
  if (!path.includes("/chat/completions")) return null;
  return Object.hasOwn(chatWires, provider) ? (chatWires[provider] ?? null) : "compatible";
}

function jsonOf(bytes: Buffer): JsonObject {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

export const sendJson = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
};

/** Starts a provider on a random port of 127.0.0.1. `receives` sees every request, `answers` those within the limits. */
export async function startWireServer({
  receives = () => {},
  answers,
}: {
  receives?: (request: WireRequest) => void;
  answers: (request: WireRequest, response: ServerResponse) => void | Promise<void>;
}): Promise<WireServer> {
  const server = createServer((incoming, response) => {
    const parts: Buffer[] = [];
    incoming.on("data", (part: Buffer) => parts.push(part));
    response.on("error", () => {});
    incoming.once("end", () => {
      const [, provider = "", path = ""] =
        /^(?:\/([^/]+))?(\/v1(?:beta)?\/.*)$/.exec(incoming.url ?? "") ?? [];
      const bytes = Buffer.concat(parts);
      const json = jsonOf(bytes);
      const headers = Object.entries(incoming.headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(", ") : (value ?? ""),
      ]);
      const request: WireRequest = {
        method: incoming.method ?? "",
        path: path === "" ? (incoming.url ?? "") : path,
        provider,
        headers: Object.fromEntries(headers) as Record<string, string>,
        bytes,
        wire: wireAt(path, provider),
        model: /\/models\/([^/:]+):/.exec(path)?.[1] ?? String(json["model"]),
        json,
      };
      receives(request);
      const refusal = request.wire && refusalAt(request.wire, { body: json, model: request.model });
      if (refusal !== null) return sendJson(response, refusal.status, refusal.body);
      Promise.resolve(answers(request, response)).catch(() => response.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: (provider) => `${origin}/${provider}/${provider === "google" ? "v1beta" : "v1"}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** `fetch` of a provider. `said` may look at the body to choose its answer. */
export function strictFetch(
  wire: StrictWire,
  said: (body: JsonObject) => Said = () => ({}),
): { fetch: typeof fetch; bodies: JsonObject[]; refusals: string[] } {
  const bodies: JsonObject[] = [];
  const refusals: string[] = [];
  return {
    bodies,
    refusals,
    fetch: async (input, init) => {
      const body = JSON.parse(String(init?.body)) as JsonObject;
      bodies.push(body);
      const url = input instanceof Request ? input.url : String(input);
      const model = /\/models\/([^/:]+):/.exec(url)?.[1] ?? String(body["model"]);
      const refusal = refusalAt(wire, { body, model });
      if (refusal === null) return Response.json(answerAt(wire, said(body)));
      refusals.push(refusal.message);
      return Response.json(refusal.body, { status: refusal.status });
    },
  };
}
