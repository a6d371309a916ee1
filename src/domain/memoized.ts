const maxTexts = 1_000;
const maxCharacters = 500;

export function memoizedByObject<K extends object, T>(make: (key: K) => T): (key: K) => T {
  const made = new WeakMap<K, T>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const fresh = make(key);
    made.set(key, fresh);
    return fresh;
  };
}

/** Bounded, because callers control the texts. */
export function memoizedByText<T>(make: (text: string) => T): (text: string) => T {
  const made = new Map<string, T>();
  return (text) => {
    const known = made.get(text);
    if (known !== undefined) return known;
    const fresh = make(text);
    if (text.length > maxCharacters) return fresh;
    if (made.size >= maxTexts) made.clear();
    made.set(text, fresh);
    return fresh;
  };
}
