/** Credentials of a start's tenant: one per provider variable, or the canned provider in the demo tenant. */
import { createHmac } from "node:crypto";
import { z } from "zod";
import { parsedJson } from "../domain/json.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { unexpected, type Admin, type Answered } from "./admin.ts";
import { ollamaModels } from "./ollama.ts";
import type { ProviderSetting } from "./provider-settings.ts";

export interface Wanted {
  name: string;
  provider: string;
  apiKey: string;
  baseUrl: string | null;
  /** `null` for the catalogue's models, `undefined` if unknown, which changes nothing */
  models: { id: string }[] | null | undefined;
}

const pathOf = (tenant: string): string => `/tenants/${tenant}/credentials`;
const existing = z.looseObject({ id: z.string(), provider: z.string(), name: z.string() });
type Existing = z.infer<typeof existing>;

export const demoCredential: Wanted = {
  name: "demo",
  provider: "demo",
  apiKey: "demo",
  baseUrl: null,
  models: null,
};

/**
 * Reports an unreachable Ollama. If nothing else is configured, falls back to the demo provider so that the
 * printed example works.
 */
export async function wantedCredentials(
  providers: readonly ProviderSetting[],
  { spare, warn }: { spare: readonly Wanted[]; warn: (line: string) => void },
): Promise<Wanted[]> {
  const wanted = await Promise.all(
    providers.map(async ({ name, provider, apiKey, baseUrl, ollama }): Promise<Wanted> => {
      const credential = { name, provider, apiKey, baseUrl, models: null };
      if (ollama === null) return credential;
      const models = await ollamaModels(ollama);
      if (models.ok) return { ...credential, models: models.value.map((id) => ({ id })) };
      warn(models.error);
      return { ...credential, models: undefined };
    }),
  );
  return wanted.some(isReachable) ? wanted : [...wanted, ...spare];
}

const isReachable = ({ models }: Pick<Wanted, "models">): boolean => models !== undefined;

/** Keyed by the master key, so that it changes with the key and reveals nothing. */
const fingerprintOf = (wanted: Wanted, masterKey: string): string =>
  createHmac("sha256", masterKey).update(JSON.stringify(wanted)).digest("hex");

const isThe =
  (wanted: Pick<Wanted, "name" | "provider">) =>
  ({ name, provider }: Existing): boolean =>
    name === wanted.name && provider === wanted.provider;

interface Place {
  admin: Admin;
  path: string;
}

async function remove(
  { admin, path }: Place,
  doomed: readonly Existing[],
): Promise<Result<null, string>> {
  for (const { id } of doomed) {
    const answer = await admin.call("DELETE", `${path}/${id}`);
    // 404: another launcher was faster.
    if (answer.status >= 300 && answer.status !== 404)
      return err(unexpected(`DELETE ${path}/${id}`, answer));
  }
  return ok(null);
}

/** People know the variable, not the credential. */
const variableOf = ({ name }: Wanted, member: string): string =>
  member === "baseUrl" ? name.replace(/_API_KEY$/, "_BASE_URL") : name;

const refusal = z.looseObject({ path: z.string(), detail: z.string() });

/** Names the variable at fault. */
function refusedAs(wanted: Wanted, what: string, answer: Answered): string {
  const refused = answer.status === 400 ? refusal.safeParse(parsedJson(answer.text)) : null;
  if (refused?.success !== true) return unexpected(what, answer);
  const { path: member, detail } = refused.data;
  return `${variableOf(wanted, member)}: ${detail.split(`${member}: `).at(-1)}`;
}

async function create(place: Place, wanted: Wanted): Promise<Result<null, string>> {
  const { admin, path } = place;
  const { baseUrl, models, ...rest } = wanted;
  const body = { ...rest, ...(baseUrl && { baseUrl }), ...(models && { models }) };
  const answer = await admin.call("POST", path, body);
  if (answer.status !== 201 && answer.status !== 409)
    return err(refusedAs(wanted, `POST ${path}`, answer));
  // Concurrent launchers may both have created it; the older one stays.
  const all = await admin.list(path, existing);
  if (!all.ok) return all;
  const [, ...later] = all.value.filter(isThe(wanted)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return remove(place, later);
}

async function bring(place: Place, id: string, wanted: Wanted): Promise<Result<null, string>> {
  const { admin, path } = place;
  const { apiKey, baseUrl, models } = wanted;
  const answer = await admin.call("PATCH", `${path}/${id}`, { apiKey, baseUrl, models });
  if (answer.status === 404) return create(place, wanted);
  return answer.status === 200 ? ok(null) : err(refusedAs(wanted, `PATCH ${path}/${id}`, answer));
}

/** Canned answers next to a real credential would be mistaken for that provider's. */
const withoutDemo = (wanted: readonly Wanted[], made: readonly Existing[]): readonly Wanted[] =>
  made.length === 0
    ? wanted
    : wanted.filter(({ provider }) => provider !== demoCredential.provider);

/** `known`: name → fingerprint of earlier runs. Returns the current ones. */
export async function seedCredentials(
  admin: Admin,
  options: {
    /** slug */
    tenant: string;
    wanted: readonly Wanted[];
    known: Record<string, string>;
    masterKey: string;
    warn: (line: string) => void;
  },
): Promise<Result<{ fingerprints: Record<string, string>; providers: string[] }, string>> {
  const { known, masterKey, warn } = options;
  const path = pathOf(options.tenant);
  const place = { admin, path };
  const all = await admin.list(path, existing);
  if (!all.ok) return all;
  const isOurs = (each: Existing): boolean =>
    Object.hasOwn(known, each.name) ||
    [...options.wanted, demoCredential].some((one) => isThe(one)(each));
  const made = all.value.filter((each) => !isOurs(each));
  const wanted = withoutDemo(options.wanted, made);
  const fingerprints: Record<string, string> = {};
  for (const each of wanted) {
    const found = all.value.find(isThe(each));
    if (found === undefined && !isReachable(each)) continue;
    const fingerprint = fingerprintOf(each, masterKey);
    fingerprints[each.name] = fingerprint;
    if (found !== undefined && known[each.name] === fingerprint) continue;
    const done =
      found === undefined ? await create(place, each) : await bring(place, found.id, each);
    if (!done.ok) return done;
  }
  // Deletes credentials whose variable is gone, but none created otherwise.
  const surplus = all.value.filter(
    (each) =>
      (Object.hasOwn(known, each.name) || isThe(demoCredential)(each)) &&
      !wanted.some((one) => isThe(one)(each)),
  );
  for (const { name } of surplus.filter((each) => !isThe(demoCredential)(each)))
    warn(
      `${name} is no longer set, so the credential that an earlier start created from it is removed. Credentials created by the admin API are kept.`,
    );
  const removed = await remove(place, surplus);
  if (!removed.ok) return removed;
  const reachable = wanted.filter(isReachable);
  return ok({
    fingerprints,
    providers: [...new Set([...reachable, ...made].map(({ provider }) => provider))],
  });
}
