/** Calls the router with an API key that is kept only in memory. */
import { signal } from "@preact/signals";
import type { Decision } from "../../domain/choice/decision.ts";
import { api, type Schemas } from "../api.ts";
import { prefix, tenantHere } from "../place.ts";
import { answerOf, ok, problemOf, type Asked } from "../problem.ts";
import type { axes } from "../requests/notes.ts";
import { session } from "../session.ts";
import { routeRequest, samplingRequest, type WireRequest } from "./wire-request.ts";

/** `keyId` is unknown of a pasted key. */
export const caller = signal<{ tenant: string; key: string; keyId?: string } | null>(null);

const keyLastsMs = 3_600_000;

/** Where the tab keeps the key's id, which isn't secret. */
const place = (): string => `playground ${tenantHere()} ${session.value?.actor.id ?? ""}`;

/** Of a key from before a reload. */
export const isResumable = (): boolean => sessionStorage.getItem(place()) !== null;

/** For an hour, or the tab's with another secret unless it has expired. Creates an event. */
export async function makeCaller(): Promise<Asked<unknown>> {
  const before = sessionStorage.getItem(place());
  sessionStorage.removeItem(place());
  const body = {
    name: "console playground",
    scopes: ["sampling" as const, "models" as const],
    expiresAt: Date.now() + keyLastsMs,
  };
  const made = await (before === null
    ? api.POST("/admin/v1/tenants/{tenant}/keys", { body })
    : api.POST("/admin/v1/tenants/{tenant}/keys/{id}/rotate", { id: before }));
  if (!made.ok) return made;
  const { key, id } = made.value;
  caller.value = { tenant: tenantHere(), key, keyId: id };
  sessionStorage.setItem(place(), id);
  return made;
}

export interface SamplingParams {
  messages: unknown[];
  maxTokens: number;
  modelPreferences: Record<`${(typeof axes)[number]}Priority`, number> & {
    hints: { name: string }[];
  };
  systemPrompt?: string;
  tools?: unknown[];
}

export const sendAt = <T>({ path, headers, body }: WireRequest) =>
  answerOf(
    fetch(`${prefix}${path}`, {
      method: "POST",
      credentials: "omit",
      headers: {
        ...headers,
        "Content-Type": "application/json",
        Accept: "application/json",
        Authorization: `Bearer ${caller.value?.key ?? ""}`,
      },
      body: JSON.stringify(body),
    }),
  ) as Promise<Asked<T>>;

export type Ranking = Decision & Pick<Schemas["RouteDecision"], "approval">;
export const dryRun = (params: SamplingParams): Promise<Asked<Ranking>> =>
  sendAt(routeRequest(params));

export type Answer = Schemas["RpcResult"];

/** A call that is still pending is repeated with the key of its refusal, and waits again. */
export async function send(params: SamplingParams, key?: string): Promise<Asked<Answer>> {
  const { headers, ...request } = samplingRequest(params);
  const keyed = { ...headers, ...(key !== undefined && { "Idempotency-Key": key }) };
  const received = await sendAt<Schemas["RpcAnswer"]>({ ...request, headers: keyed });
  if (!received.ok) return received;
  const { result, error } = received.value;
  if (result !== undefined) return ok(result);
  const { message = "No answer", data }: Partial<NonNullable<typeof error>> = error ?? {};
  const idempotencyKey = data?.["idempotencyKey"];
  if (data?.reason === "approval_pending" && typeof idempotencyKey === "string")
    return send(params, idempotencyKey);
  return { ok: false, problem: problemOf(200, { title: message, detail: message, ...data }) };
}
