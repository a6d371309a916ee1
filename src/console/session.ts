/** The current session. The browser keeps the cookie, this page the CSRF token. */
import { computed, signal } from "@preact/signals";
import { roleMay, roles, type Permission } from "../domain/tenancy/scopes.ts";
import { prefix } from "./place.ts";
import { answerOf, type Asked } from "./problem.ts";

type ActorKind = "operator" | "key" | "person";
export interface Session {
  csrf: string;
  actor: Partial<Record<"name" | "id" | "tenant", string>> & { kind: ActorKind; role: string };
  /** ms since the epoch */
  expiresAt: number;
}

/** `null` if signed out, `undefined` while unknown */
export const session = signal<Session | null | undefined>(undefined);
export const signInReason = signal<string | null>(null);
/** The session has ended; the page stays until another person signs in. */
export const hasEnded = signal(false);
export const csrf = computed(() => session.value?.csrf ?? null);
export const isOperator = computed(() => session.value?.actor.kind === "operator");

const ask = <T>(init: RequestInit, at = "session") =>
  answerOf(fetch(`${prefix}/console/${at}`, init)) as Promise<Asked<T>>;

/** @param text embedded in the page */
export async function restoreSession(text = ""): Promise<void> {
  if (text !== "") return void (session.value = JSON.parse(text) as Session);
  const found = await ask<Session>({});
  session.value = found.ok ? found.value : null;
  if (!found.ok && found.problem.status !== 401) signInReason.value = found.problem.detail;
}

export async function signIn(key: string): Promise<Asked<Session>> {
  const headers = { "Content-Type": "application/json" };
  const made = await ask<Session>({ method: "POST", headers, body: JSON.stringify({ key }) });
  if (made.ok) {
    signInReason.value = null;
    session.value = made.value;
    hasEnded.value = false;
  }
  return made;
}

/** @returns the redirect; `tenant` `null` for the operator's provider */
export function beginSingleSignOn(tenant: string | null): Promise<Asked<{ url: string }>> {
  const query = tenant === null ? "" : `?tenant=${encodeURIComponent(tenant)}`;
  return ask({ method: "POST" }, `single-sign-on${query}`);
}

export async function signOut(): Promise<void> {
  await ask({ method: "DELETE", headers: { "X-CSRF-Token": csrf.value ?? "" } });
  // A fresh page says whose identity provider there is.
  location.assign(`${prefix}/console?sign-in=signed_out`);
}

/** @returns whether there was a session */
export function sessionLost(): boolean {
  if (!session.value) return false;
  signInReason.value = "Your session has expired. Sign in again to continue.";
  hasEnded.value = true;
  return true;
}

export const signedInAgain = (): Promise<void> =>
  new Promise((resolve) => {
    const end = hasEnded.subscribe((ended) => {
      if (ended) return;
      queueMicrotask(() => end());
      resolve();
    });
  });

/** Hides what the API would refuse. */
export function may(permission: Permission): boolean {
  const role = roles.find((each) => each === session.value?.actor.role);
  return role !== undefined && roleMay(role, permission);
}
export const mayChange = computed(() => may("change"));
