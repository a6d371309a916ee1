import { canonicalName, canonicalOf, otherNamesOf, spellingsOf } from "./canonical-name.ts";
import { nameOf, type Model } from "./model.ts";
import { matchesGlob, matchesParts } from "./globs.ts";
import { isVariant } from "./plain-name.ts";
import { memoizedByObject, memoizedByText } from "../memoized.ts";

export type NamedModel = Pick<Model, "provider" | "id"> &
  Partial<Pick<Model, "like" | "name" | "aliases">>;

const loosened = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[\s_.:@-]+/g, "-")
    .replaceAll(/(?<![a-z])([a-z]{2,}|(?<![0-9])[ok])(?=\d)/g, "$1-");

interface Names {
  allowed: readonly string[];
  denied: readonly string[];
  canonical: ReadonlySet<string>;
}

/** The id without folder, region and vendor: `us.anthropic.claude-3-opus`. */
const withoutVendor = (id: string): string =>
  id.slice(id.lastIndexOf("/") + 1).replace(/^(?:[a-z][a-z0-9-]*\.)+(?=[a-z])/i, "");

/** `claude-3-opus` for `claude-opus-3`: both are in use. */
const reordered = (name: string): string[] => {
  const claude = /^claude-([a-z]+)-([\d-]+)$/.exec(name);
  return claude === null ? [] : [`claude-${claude[2]}-${claude[1]}`];
};

function namesOf(model: NamedModel): Names {
  const { provider, id, like = id, name = id, aliases = [] } = model;
  const own = [id, ...aliases].map((each) => `${provider}/${each}`);
  // Denies a fine-tuned model like `ft:gpt-4o:acme::7p4l` with its base model.
  const texts = [id, like, name, ...aliases, id.replace(/^ft:([^:]+).*$/, "$1")];
  const canonical = new Set(texts.flatMap((text) => canonicalName(text) ?? []));
  const elsewhere = [...canonical].flatMap((each) => {
    const [maker = "", plain = ""] = each.split("/");
    const plains = [plain, ...reordered(plain), ...otherNamesOf(each)];
    return plains.flatMap((written) => [
      `${provider}/${written}`,
      ...spellingsOf(maker).flatMap((by) => [`${by}/${written}`, `${provider}/${by}/${written}`]),
    ]);
  });
  const main = isVariant(id) ? null : canonicalOf(model);
  const allowed =
    main === null ? own : [...own, `${provider}/${main}`, `${provider}/${main.split("/")[1]}`];
  const denied = [...own, `${provider}/${withoutVendor(id)}`, ...elsewhere];
  return {
    allowed: allowed.map((each) => each.toLowerCase()),
    denied: [...new Set(denied.map(loosened))],
    canonical,
  };
}

const rememberedNames = memoizedByObject(namesOf);

interface DenyingGlob {
  plain: string[];
  loose: string[];
  /** the model it means at every provider; null: it has wildcards or names a provider */
  canonical: string | null;
}

const denyingGlob = memoizedByText((text): DenyingGlob => {
  const glob = text.includes("/") || text.startsWith("*") ? text : `*/${text}`;
  const [provider = "", ...rest] = glob.toLowerCase().split("/");
  const model = rest.join("/");
  const canonical = model.includes("*") ? null : canonicalName(model);
  const isEverywhere =
    canonical !== null &&
    (provider === "*" || spellingsOf(canonical.split("/")[0] ?? "").includes(provider));
  return {
    plain: glob.toLowerCase().split("*"),
    loose: loosened(glob).split("*"),
    canonical: isEverywhere ? canonical : null,
  };
});

/** Matches any spelling. For deny and approval lists, where a false match is safe. */
export function isNamedIn(globs: readonly string[], model: NamedModel): boolean {
  if (globs.length === 0) return false;
  const names = rememberedNames(model);
  const own = nameOf(model).toLowerCase();
  return globs.some((text) => {
    const { plain, loose, canonical } = denyingGlob(text);
    return (
      matchesParts(plain, own) ||
      names.denied.some((name) => matchesParts(loose, name)) ||
      (canonical !== null && names.canonical.has(canonical))
    );
  });
}

/** Globs over `provider/model`; deny takes precedence. In allow lists, `anthropic/*` does not include resellers. */
export function isAllowed(
  model: NamedModel,
  policy: { allowedModels?: readonly string[]; deniedModels?: readonly string[] },
): boolean {
  if (isNamedIn(policy.deniedModels ?? [], model)) return false;
  const { allowedModels } = policy;
  if (allowedModels === undefined) return true;
  const names = rememberedNames(model);
  return allowedModels.some((glob) => names.allowed.some((name) => matchesGlob(glob, name)));
}
