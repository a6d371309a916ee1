import type { SharedV4Warning } from "@ai-sdk/provider";

/** Only names: the library's details quote the request. */
export function notesOfWarnings(
  warnings: readonly SharedV4Warning[],
  known: readonly string[],
): string[] {
  const notes: string[] = [];
  for (const warning of warnings) {
    if (warning.type !== "unsupported" && warning.type !== "compatibility") continue;
    const { feature } = warning;
    if (!/^[a-zA-Z]{1,40}$/.test(feature) || known.some((note) => note.startsWith(feature)))
      continue;
    notes.push(
      warning.type === "unsupported"
        ? `${feature} left out or changed: this model does not take it as asked`
        : `${feature} adjusted to what this model takes`,
    );
  }
  return notes;
}
