/** Engines limit a parameter to 2 MB, some in bytes. */
const maxCharacters = 400_000;

export function arraysOf(entries: readonly unknown[]): string[] {
  const arrays: string[] = [];
  let text = "";
  for (const entry of entries) {
    const next = JSON.stringify(entry);
    if (text !== "" && text.length + next.length > maxCharacters) {
      arrays.push(`[${text}]`);
      text = "";
    }
    text += text === "" ? next : `,${next}`;
  }
  return text === "" ? arrays : [...arrays, `[${text}]`];
}
