/** Who is signed in. The browser keeps the cookie; this page keeps the token that proves a change was meant. */
import { computed, signal } from "@preact/signals";
import { roleMay, roles, type Permission } from "../domain/tenancy/scopes.ts";
import { prefix } from "./place.ts";
import { problemOf, unreachable, type Asked } from "./problem.ts";

export interface Actor {
  kind: "operator" | "key" | "person";
  /** of the person, or of the key; absent: the operator's token */
  name?: string;
  role: string;
  /** of the key */
  id?: string;
  /** the slug of the only tenant that a key sees; absent: the operator sees all */
  tenant?: string;
}

export interface Session {
  csrf: string;
  actor: Actor;
  /** ms since the epoch */
  expiresAt: number;
}

/** null: nobody is signed in; undefined: that is not known yet */
export const session = signal<Session | null | undefined>(undefined);
/** Why the page of the sign-in is shown; null: the person has just come. */
export const signInReason = signal<string | null>(null);
/** Whether the session of `session` has ended. What the person was doing stays, until somebody else signs in. */
export const hasEnded = signal(false);
export const csrf = computed(() => session.value?.csrf ?? null);
export const isOperator = computed(() => session.value?.actor.kind === "operator");

const address = `${prefix}/console/session`;

async function ask<T = Session | null>(init: RequestInit, at = address): Promise<Asked<T>> {
  try {
    const response = await fetch(at, { credentials: "same-origin", ...init });
    const body: unknown = await response.json().catch(() => null);
    return response.ok
      ? { ok: true, value: body as T, tag: null }
      : { ok: false, problem: problemOf(response.status, body) };
  } catch {
    return { ok: false, problem: unreachable };
  }
}

/** What the router wrote into the page; null: nothing that counts. */
function sessionIn(text: string | undefined): Session | null {
  return text === undefined || text === "" ? null : (JSON.parse(text) as Session);
}

/** Who is signed in, when the page is opened: as the page says, else as the router says. */
export async function restoreSession(text: string | undefined): Promise<void> {
  const written = sessionIn(text);
  if (written !== null) {
    session.value = written;
    return;
  }
  const found = await ask({ method: "GET" });
  session.value = found.ok ? found.value : null;
  if (!found.ok && found.problem.status !== 401) signInReason.value = found.problem.detail;
}

export async function signIn(key: string): Promise<Asked<Session | null>> {
  const made = await ask({
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ key }),
  });
  if (made.ok) {
    signInReason.value = null;
    session.value = made.value;
    hasEnded.value = false;
  }
  return made;
}

/** @returns where the browser goes on to; `tenant` null: the operator's identity provider */
export function beginSingleSignOn(tenant: string | null): Promise<Asked<{ url: string }>> {
  const query = tenant === null ? "" : `?tenant=${encodeURIComponent(tenant)}`;
  return ask<{ url: string }>({ method: "POST" }, `${prefix}/console/single-sign-on${query}`);
}

export async function signOut(): Promise<void> {
  const headers = { "X-CSRF-Token": csrf.value ?? "" };
  await ask({ method: "DELETE", headers });
  signInReason.value = "You are signed out.";
  session.value = null;
}

/**
 * The API said that the session counts no longer.
 * @returns whether there was one
 */
export function sessionLost(): boolean {
  if (!session.value) return false;
  signInReason.value = "Your session has ended. Sign in again to go on where you were.";
  hasEnded.value = true;
  return true;
}

/** Once a session counts again. */
export const signedInAgain = (): Promise<void> =>
  new Promise((resolve) => {
    const end = hasEnded.subscribe((ended) => {
      if (ended) return;
      queueMicrotask(() => end());
      resolve();
    });
  });

/** Whether the person may. The API decides; the page only leaves out what the API would refuse. */
export function may(permission: Permission): boolean {
  const actor = session.value?.actor;
  if (actor === undefined) return false;
  const role = roles.find((each) => each === actor.role);
  return role !== undefined && roleMay(role, permission);
}
export const mayChange = computed(() => may("change"));
