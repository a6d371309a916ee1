/** Memoizes a pure function of a text. Bounded, because callers control the texts. */
const mostTexts = 1_000;
const mostCharacters = 500;

export function rememberedByText<T>(make: (text: string) => T): (text: string) => T {
  const made = new Map<string, T>();
  return (text) => {
    const known = made.get(text);
    if (known !== undefined) return known;
    const fresh = make(text);
    if (text.length > mostCharacters) return fresh;
    if (made.size >= mostTexts) made.clear();
    made.set(text, fresh);
    return fresh;
  };
}
