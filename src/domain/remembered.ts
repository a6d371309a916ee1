/**
 * A pure function of a text whose results are kept, since the same few texts come with every message. What a
 * stranger sends is a text too: a long one is not kept, and too many of them make the memory begin anew.
 */
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
