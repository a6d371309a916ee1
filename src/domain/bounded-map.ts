export interface BoundedMap<K, V> {
  readonly size: number;
  get(key: K): V | undefined;
  use(key: K): V | undefined;
  set(key: K, value: V): void;
  delete(key: K): boolean;
  clear(): void;
  values(): IterableIterator<V>;
}

export function createBoundedMap<K, V>(capacity: number): BoundedMap<K, V> {
  const entries = new Map<K, V>();
  let newest: K | undefined;
  const set = (key: K, value: V): void => {
    // Each deletion brings the map closer to a rehash.
    if (key !== newest) entries.delete(key);
    entries.set(key, value);
    newest = key;
    if (entries.size <= capacity) return;
    for (const oldest of entries.keys()) {
      entries.delete(oldest);
      return;
    }
  };
  return {
    get size() {
      return entries.size;
    },
    get: (key) => entries.get(key),
    use(key) {
      const value = entries.get(key);
      if (value !== undefined) set(key, value);
      return value;
    },
    set,
    delete: (key) => entries.delete(key),
    clear: () => entries.clear(),
    values: () => entries.values(),
  };
}
