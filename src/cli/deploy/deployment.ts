/** A deployment to Cloudflare in idempotent steps. */
import { isObject, own, parsedJson } from "../../domain/json.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import type { Asker } from "../init-questions.ts";

export interface Ran {
  code: number;
  /** standard output and standard error */
  printed: string;
}

export type Secrets = Readonly<Record<string, string>>;

export interface DeploymentDeps {
  /** Without showing the output. */
  wrangler(args: readonly string[]): Promise<Ran>;
  /** `wrangler deploy`; `targets`: the Worker's addresses */
  deploy(args: readonly string[]): Promise<{ code: number; targets: string[] }>;
  /** Secrets of earlier runs of which the operator has no other copy. */
  kept: { place: string; read(): Secrets; add(secrets: Secrets): void };
  /** Calls `use` with a temporary file of the secrets. */
  withSecretsFile<T>(secrets: Secrets, use: (path: string) => Promise<T>): Promise<T>;
  newSecret(name: SecretName): string;
  environment: Readonly<Record<string, string | undefined>>;
  /** `null` if not interactive */
  asker: Pick<Asker, "ask" | "askWhether"> | null;
  fetch: typeof fetch;
  wait(ms: number): Promise<void>;
  say(line: string): void;
}

export interface DeploymentOptions {
  /** create secrets without asking */
  yes: boolean;
  /** slug of the first tenant; asked for if absent */
  tenant?: string | undefined;
}

const secretNames = ["MASTER_KEY", "ADMIN_TOKEN"] as const;
export type SecretName = (typeof secretNames)[number];

/** Wrangler's message for an undeployed Worker. */
const isUnknownWorker = (printed: string): boolean => /\b10007\b|does not exist/i.test(printed);
const readyTries = 30;
const readyPauseMs = 2_000;

async function account({ wrangler }: DeploymentDeps): Promise<string | null> {
  const { printed } = await wrangler(["whoami", "--json"]);
  const printedJson = parsedJson(printed.slice(Math.max(0, printed.indexOf("{"))));
  if (own(printedJson, "loggedIn") === true) return null;
  return "wrangler has no account: run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN";
}

async function secretsThere({ wrangler }: DeploymentDeps): Promise<Result<string[], string>> {
  const { code, printed } = await wrangler(["secret", "list", "--format", "json"]);
  if (code !== 0)
    return isUnknownWorker(printed)
      ? ok([])
      : err(`wrangler could not list the Worker's secrets:\n${printed.trim()}`);
  const listed = parsedJson(printed.slice(Math.max(0, printed.indexOf("["))));
  const names = (Array.isArray(listed) ? listed : []).map((each) => own(each, "name"));
  return ok(names.filter((name) => typeof name === "string"));
}

/** Missing secrets of the Worker. */
async function secretsToSet(
  deps: DeploymentDeps,
  { yes }: DeploymentOptions,
): Promise<Result<Secrets, string>> {
  const { kept, environment, asker, say } = deps;
  const there = await secretsThere(deps);
  if (!there.ok) return there;
  const missing = secretNames.filter((name) => !there.value.includes(name));
  if (missing.length === 0) {
    say("The Worker has its secrets; they are kept.");
    return ok({});
  }
  const before = kept.read();
  const known = (name: SecretName): string => environment[name] || before[name] || "";
  const toMake = missing.filter((name) => known(name) === "");
  if (toMake.length > 0 && !yes) {
    const names = toMake.join(" and ");
    const question = `The Worker lacks ${names}. Create them and keep a copy in ${kept.place}?`;
    if (asker === null)
      return err(`the Worker lacks ${names}: set them in the environment, or use --yes`);
    if (!(await asker.askWhether(question))) return err("nothing was deployed");
  }
  const secrets = Object.fromEntries(
    missing.map((name) => [name, known(name) || deps.newSecret(name)]),
  );
  // Before the upload: a key known only to Cloudflare would be lost, and with it every credential.
  kept.add(secrets);
  say(`${missing.join(" and ")}: a copy is in ${kept.place}. Keep it somewhere safe.`);
  return ok(secrets);
}

/** Also for routes such as `router.example/*`. */
function urlOf(target: string): string {
  const [place = ""] = target.split(" ");
  const bare = place.replace(/\/\*?$/, "");
  return /^https?:/.test(bare) ? bare : `https://${bare}`;
}

async function whenReady({ fetch: ask, wait }: DeploymentDeps, url: string): Promise<boolean> {
  for (let tries = 0; tries < readyTries; tries += 1) {
    const ready = await ask(`${url}/health/ready`).then(
      ({ ok: isReady }) => isReady,
      () => false,
    );
    if (ready) return true;
    await wait(readyPauseMs);
  }
  return false;
}

async function firstTenant(
  deps: DeploymentDeps,
  { url, token, given }: { url: string; token: string; given: string | undefined },
): Promise<string | null> {
  const { asker, say } = deps;
  const admin = async (path: string, body?: object): Promise<unknown> => {
    const answer = await deps.fetch(`${url}/admin/v1/tenants${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return answer.ok ? answer.json() : null;
  };
  const listed = await admin("?limit=1");
  const tenants = isObject(listed) ? own(listed, "data") : undefined;
  if (!Array.isArray(tenants)) return `the router at ${url} rejects this ADMIN_TOKEN`;
  if (tenants.length > 0) {
    say("The router has tenants; none is created.");
    return null;
  }
  const slug = given ?? (await asker?.ask("Slug of the first tenant (blank for none)")) ?? "";
  if (slug === "") return null;
  if ((await admin("", { slug, name: slug })) === null)
    return `the router did not create the tenant ${slug}: a slug has lower-case letters, digits, and hyphens`;
  const scopes = ["sampling", "models", "proxy", "tenant-admin"];
  const made = await admin(`/${slug}/keys`, { name: "first", scopes });
  const key = isObject(made) ? own(made, "key") : undefined;
  if (typeof key !== "string") return `the router created the tenant ${slug}, but no key for it`;
  say(`Tenant ${slug}. Its API key, shown this once: ${key}`);
  say(`Next, add a provider's key at ${url}/console, or see docs/admin-api.md.`);
  return null;
}

export async function runDeployment(
  deps: DeploymentDeps,
  options: DeploymentOptions,
): Promise<string | null> {
  const { say } = deps;
  const accountFault = await account(deps);
  if (accountFault !== null) return accountFault;
  const secrets = await secretsToSet(deps, options);
  if (!secrets.ok) return secrets.error;
  const { code, targets } =
    Object.keys(secrets.value).length === 0
      ? await deps.deploy([])
      : await deps.withSecretsFile(secrets.value, (path) => deps.deploy(["--secrets-file", path]));
  if (code !== 0) return "wrangler deployed nothing; fix the error and run this again";
  const [target] = targets;
  if (target === undefined) {
    say("Deployed. wrangler reports no URL, so readiness was not checked.");
    return null;
  }
  const url = urlOf(target);
  if (!(await whenReady(deps, url))) return `deployed, but ${url}/health/ready is not ready yet`;
  say(`Ready: ${url}`);
  const token = deps.environment["ADMIN_TOKEN"] || deps.kept.read()["ADMIN_TOKEN"];
  if (token !== undefined) return firstTenant(deps, { url, token, given: options.tenant });
  say("ADMIN_TOKEN is unknown here, so tenants were not checked.");
  return null;
}
