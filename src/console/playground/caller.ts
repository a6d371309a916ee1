/** Calls the router with an API key that is kept only in memory. */
import { signal } from "@preact/signals";
import type { Decision } from "../../domain/choice/decision.ts";
import { api } from "../api.ts";
import { prefix, tenantHere } from "../place.ts";
import { problemOf, unreachable, type Asked } from "../problem.ts";

/** `keyId` is unknown of a pasted key. */
export const caller = signal<{ tenant: string; key: string; keyId?: string } | null>(null);

const keyLastsMs = 3_600_000;

/** Expires in an hour. Creates an event. */
export async function makeCaller(): Promise<Asked<unknown>> {
  const made = await api.POST("/admin/v1/tenants/{tenant}/keys", {
    body: {
      name: "console playground",
      scopes: ["sampling", "models"],
      expiresAt: Date.now() + keyLastsMs,
    },
  });
  if (made.ok) caller.value = { tenant: tenantHere(), key: made.value.key, keyId: made.value.id };
  return made;
}

export interface SamplingParams {
  messages: unknown[];
  maxTokens: number;
  modelPreferences: object;
  systemPrompt?: string;
  tools?: unknown[];
}

const modern = {
  "MCP-Protocol-Version": "2026-07-28",
  "Mcp-Method": "sampling/createMessage",
};
const withMeta = (params: SamplingParams) => ({
  ...params,
  _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "console", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": { sampling: { tools: {}, context: {} } },
  },
});

async function post<T>(
  path: string,
  body: unknown,
  headers: Record<string, string> = modern,
): Promise<Asked<T>> {
  try {
    const response = await fetch(`${prefix}${path}`, {
      method: "POST",
      credentials: "omit",
      headers: {
        ...headers,
        "Content-Type": "application/json",
        Accept: "application/json",
        Authorization: `Bearer ${caller.value?.key ?? ""}`,
      },
      body: JSON.stringify(body),
    });
    const received: unknown = await response.json();
    return response.ok
      ? { ok: true, value: received as T, tag: null }
      : { ok: false, problem: problemOf(response.status, received) };
  } catch {
    return { ok: false, problem: unreachable };
  }
}

export const dryRun = (params: SamplingParams): Promise<Asked<Decision>> =>
  post("/v1/route", withMeta(params));

export interface WireRequest {
  path: string;
  headers: Record<string, string>;
  body: object;
}

export const sendAt = ({ path, headers, body }: WireRequest): Promise<Asked<unknown>> =>
  post(path, body, headers);

export interface Answer {
  model?: string;
  stopReason?: string;
  content?: unknown;
  _meta?: { "sampling-router/decision"?: { requestId?: string; costUsd?: number | null } };
}
interface RpcAnswer {
  result?: Answer;
  error?: { message: string; data?: { reason?: string; detail?: string; requestId?: string } };
}

export async function send(params: SamplingParams): Promise<Asked<Answer>> {
  const call = { jsonrpc: "2.0", id: 1, method: "sampling/createMessage" };
  const received = await post<RpcAnswer>("/v1/sampling", { ...call, params: withMeta(params) });
  if (!received.ok) return received;
  const { result, error } = received.value;
  if (result !== undefined) return { ok: true, value: result, tag: null };
  const { reason, detail, requestId } = error?.data ?? {};
  const message = error?.message ?? "No answer";
  const problem = problemOf(200, { title: message, detail: detail ?? message, reason, requestId });
  return { ok: false, problem };
}
