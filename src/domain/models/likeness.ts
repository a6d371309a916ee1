import { parseModel, parseName, type ParsedName } from "./lines.ts";
import { foldName } from "./plain-name.ts";
import { nameOf, type Catalogue, type DeclaredModel, type Model } from "./model.ts";
import { likedBy } from "./tenant-models.ts";

function nameIn(name: string): ParsedName | null {
  const words = foldName(name).split(/[-/]/);
  for (const at of words.keys()) {
    const parsed = parseName(words.slice(at).join("-"));
    if (parsed !== null && parsed.generation !== null) return parsed;
  }
  return null;
}

const resellers: ReadonlySet<string> = new Set(
  "groq together cerebras workers-ai ollama".split(" "),
);

function likenessOf(id: string, { models }: Catalogue): Model | undefined {
  const stated = nameIn(id);
  if (stated === null) return undefined;
  const [best] = models
    .filter((model) => {
      const parsed = parseModel(model);
      return (
        parsed?.line === stated.line &&
        parsed.generation === stated.generation &&
        model.status === "active" &&
        model.outputModalities.includes("text") &&
        !resellers.has(model.provider)
      );
    })
    .toSorted((a, b) => a.id.length - b.id.length);
  return best;
}

export function proposedModels(
  of: {
    provider: string;
    models: readonly DeclaredModel[] | null;
    listed: readonly string[] | null;
  },
  catalogue: Catalogue,
): DeclaredModel[] {
  const declared: readonly DeclaredModel[] = of.models ?? (of.listed ?? []).map((id) => ({ id }));
  return declared.flatMap((model): DeclaredModel[] => {
    const isKnown = likedBy(catalogue, nameOf({ provider: of.provider, id: model.id }));
    if (model.like !== undefined || isKnown !== undefined) return [];
    const likeness = likenessOf(model.id, catalogue);
    return likeness === undefined ? [] : [{ ...model, like: nameOf(likeness) }];
  });
}
