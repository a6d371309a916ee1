/** Lists that are longer than one parameter may be. */

/** Characters of one parameter: engines hold 2 MB, some of them counted in bytes. */
const mostCharacters = 400_000;

/** JSON arrays of entries, each short enough for one parameter. */
export function arraysOf(entries: readonly unknown[]): string[] {
  const arrays: string[] = [];
  let text = "";
  for (const entry of entries) {
    const next = JSON.stringify(entry);
    if (text !== "" && text.length + next.length > mostCharacters) {
      arrays.push(`[${text}]`);
      text = "";
    }
    text += text === "" ? next : `,${next}`;
  }
  return text === "" ? arrays : [...arrays, `[${text}]`];
}
