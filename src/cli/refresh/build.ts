import { unknownFigures, type Model } from "../../domain/models/model.ts";
import { combine, type Figures, type Source } from "./figures.ts";

/** What only people decide: which models exist, tiers, traits, and corrections. */
export interface Curated {
  /** ISO date of the last manual change */
  day: string;
  /** publication date by `name@version` */
  packages: Readonly<Record<string, string>>;
  /** omitted `provider/model` ids by reason */
  excluded: Readonly<Record<string, readonly string[]>>;
  models: readonly (Pick<Model, "provider" | "id"> & Figures)[];
}

type Row = Omit<Model, "source" | "synced">;

export interface Catalogue {
  version: string;
  rows: Row[];
  /** by model and source */
  taken: Record<string, Record<string, string[]>>;
  contradictions: string[];
}

const members = [
  ..."provider id name family aliases inputModalities outputModalities contextTokens outputTokens".split(
    " ",
  ),
  ..."tools temperature reasoning reasoningControl inputUsdPerMTok outputUsdPerMTok".split(" "),
  ..."cachedInputUsdPerMTok cacheWriteUsdPerMTok cacheWriteHourUsdPerMTok audioInputUsdPerMTok".split(
    " ",
  ),
  ..."cachedAudioInputUsdPerMTok priceTiers mediaPrices intelligence speed everyday status".split(
    " ",
  ),
  ..."retiresAt releasedAt scores unverified".split(" "),
];

const ordered = (row: Row): Row =>
  Object.fromEntries(
    members.flatMap((member) => {
      const value = (row as unknown as Record<string, unknown>)[member];
      const says = value !== undefined && (value !== null || member in unknownFigures);
      return says ? [[member, value]] : [];
    }),
  ) as unknown as Row;

const expected = ["inputUsdPerMTok", "outputUsdPerMTok", "contextTokens", "outputTokens"] as const;

/** Missing figures of served models. A source's `null` means that none is published. */
function lackingIn(row: Row, stated: Figures): (typeof expected)[number][] {
  if (row.status === "retired" || row.provider === "ollama") return [];
  const isByUnit = row.mediaPrices !== undefined;
  return expected.filter(
    (figure) =>
      stated[figure] === undefined &&
      row[figure] === null &&
      !(isByUnit && figure.endsWith("UsdPerMTok")),
  );
}

/** `sources` by precedence; the curated file precedes them. */
export function buildCatalogue(curated: Curated, sources: readonly Source[]): Catalogue {
  const own: Source = {
    name: "curated",
    day: curated.day,
    figures: new Map(
      curated.models.map(({ provider, id, ...figures }) => [`${provider}/${id}`, figures]),
    ),
  };
  const version =
    [own, ...sources]
      .map(({ day }) => day)
      .toSorted()
      .at(-1) ?? curated.day;
  const catalogue: Catalogue = { version, rows: [], taken: {}, contradictions: [] };
  const byName = curated.models.toSorted((a, b) =>
    a.provider === b.provider ? (a.id < b.id ? -1 : 1) : a.provider < b.provider ? -1 : 1,
  );
  for (const { provider, id } of byName) {
    const name = `${provider}/${id}`;
    const { figures, taken, contradictions } = combine(name, [own, ...sources]);
    const row: Row = { ...unknownFigures, name: id, ...figures, provider, id };
    const isOver = typeof row.retiresAt === "string" && row.retiresAt <= version;
    if (isOver) row.status = "retired";
    const unverified = [...new Set([...(row.unverified ?? []), ...lackingIn(row, figures)])];
    if (unverified.length > 0) row.unverified = unverified;
    catalogue.rows.push(ordered(row));
    catalogue.taken[name] = taken;
    catalogue.contradictions.push(...contradictions);
  }
  return catalogue;
}

function line(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(line).join(", ")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const inside = Object.entries(value).map(
    ([key, each]) => `${JSON.stringify(key)}: ${line(each)}`,
  );
  return `{${inside.join(", ")}}`;
}

export const catalogueText = ({ version, rows }: Catalogue, source: string): string =>
  `{\n  "version": "${version}",\n  "source": ${JSON.stringify(source)},\n  "models": [\n${rows
    .map((row) => `    ${line(row)}`)
    .join(",\n")}\n  ]\n}\n`;

export const takenText = ({ taken }: Catalogue): string =>
  `{\n${Object.entries(taken)
    .map(([name, of]) => `  ${JSON.stringify(name)}: ${line(of)}`)
    .join(",\n")}\n}\n`;

/** One model per line, for reviews. */
export const curatedText = ({ day, packages, excluded, models }: Curated): string =>
  `{\n  "day": "${day}",\n  "packages": ${line(packages)},\n  "excluded": {\n${Object.entries(
    excluded,
  )
    .map(([reason, ids]) => `    ${JSON.stringify(reason)}: ${line(ids)}`)
    .join(
      ",\n",
    )}\n  },\n  "models": [\n${models.map((model) => `    ${line(model)}`).join(",\n")}\n  ]\n}\n`;
