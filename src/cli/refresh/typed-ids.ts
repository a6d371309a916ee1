/** Model ids in the type declarations of the pinned AI SDK packages. */
import { readFileSync } from "node:fs";

export const sdkProviders = ["openai", "anthropic", "google"] as const;
type SdkProvider = (typeof sdkProviders)[number];

const objects = {
  openai: [
    "openaiLanguageModelDefinitions",
    "openaiImageModelEntries",
    "imageModelAliases",
    "openaiSpeechModelEntries",
  ],
  anthropic: ["languageModelDefinitions"],
  google: ["languageModelDefinitions"],
} as const satisfies Record<SdkProvider, readonly string[]>;

const unions = {
  openai: [],
  anthropic: [],
  google: ["GoogleImageModelId", "GoogleSpeechModelId"],
} as const satisfies Record<SdkProvider, readonly string[]>;

/** First-level keys, by the declarations' indentation. */
function keysOf(text: string, name: string): string[] {
  const start = text.indexOf(`declare const ${name}: {`);
  if (start === -1) return [];
  const body = text.slice(start, text.indexOf("\n}", start));
  return [...body.matchAll(/^ {2}(?:readonly )?(?:'([^']+)'|(\w+)):/gm)].map(
    ([, quoted, plain]) => quoted ?? plain ?? "",
  );
}

function membersOf(text: string, name: string): string[] {
  const declared = new RegExp(`^type ${name} = (.*);$`, "m").exec(text)?.[1] ?? "";
  return [...declared.matchAll(/'([^']+)'/g)].map(([, id = ""]) => id);
}

/** A renamed declaration has no ids, which a test detects. */
export function declaredIds(provider: SdkProvider, text: string): ReadonlyMap<string, string[]> {
  return new Map([
    ...objects[provider].map((name) => [name, keysOf(text, name)] as const),
    ...unions[provider].map((name) => [name, membersOf(text, name)] as const),
  ]);
}

/** `root`: the folder of `node_modules`. */
export const readDeclarations = (provider: SdkProvider, root: URL): string =>
  readFileSync(new URL(`node_modules/@ai-sdk/${provider}/dist/index.d.ts`, root), "utf8");

/** `provider/model`, without duplicates. */
export const typedModels = (root: URL): string[] => [
  ...new Set(
    sdkProviders.flatMap((provider) =>
      [...declaredIds(provider, readDeclarations(provider, root)).values()]
        .flat()
        .map((id) => `${provider}/${id}`),
    ),
  ),
];
