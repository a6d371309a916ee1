import { counted } from "../domain/counted.ts";
import type { CatalogueChanges, Price } from "../domain/models/catalogue-sync.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { SyncOutcome } from "../pipeline/scheduled/catalogue.ts";

const instant = (ms: number | null): string => (ms === null ? "never" : new Date(ms).toISOString());
const priced = ({ input, output }: Price): string => `${input ?? "?"}/${output ?? "?"}`;

function linesOfChanges({
  added,
  estimated,
  retired,
  repriced,
  implausible,
}: CatalogueChanges): string[] {
  return [
    ...added.map(
      (model) =>
        `+ ${model}${estimated.includes(model) ? " (intelligence estimated from its price)" : ""}`,
    ),
    ...retired.map((model) => `- ${model} (retired)`),
    ...repriced.map(
      ({ model, from, to }) =>
        `$ ${model}: ${priced(from)} -> ${priced(to)} USD per million tokens`,
    ),
    ...implausible.map((model) => `? ${model}: its new price is implausible and was ignored`),
    `${added.length} added, ${retired.length} retired, ${counted(repriced.length, "price")} changed.`,
  ];
}

export function linesOfSync(outcome: SyncOutcome, source: string): Result<string[], string> {
  switch (outcome.state) {
    case "refused":
      return err(`${source} was rejected, and the catalogue is unchanged: ${outcome.fault}`);
    case "unchanged":
      return ok([`Nothing new: version ${outcome.version}.`]);
    case "synced":
      return ok([...linesOfChanges(outcome.changes), `Version ${outcome.version}.`]);
  }
}

export const linesOfState = (state: {
  version: string;
  syncedAt: number | null;
  dueAt: number | null;
  fault: string | null;
}): string[] => [
  `Version ${state.version}${state.syncedAt === null ? ", bundled" : ""}.`,
  `Synced ${instant(state.syncedAt)}, next due ${instant(state.dueAt)}.`,
  ...(state.fault === null ? [] : [`The last file was rejected: ${state.fault}`]),
];
