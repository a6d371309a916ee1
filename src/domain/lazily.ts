export function memoize<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Members are created on first read; spreading reads all. A proxy is faster than defining getters. */
export function lazily<T extends object>(makers: { readonly [K in keyof T]: () => T[K] }): T {
  const made: Partial<T> = {};
  const get = (_: unknown, name: string | symbol): unknown => {
    const key = name as keyof T;
    if (!Object.hasOwn(made, key) && Object.hasOwn(makers, key)) made[key] = makers[key]();
    return made[key];
  };
  return new Proxy<T>(made as T, {
    get,
    ownKeys: () => Reflect.ownKeys(makers),
    getOwnPropertyDescriptor: (_, name) =>
      Object.hasOwn(makers, name)
        ? { value: get(_, name), enumerable: true, configurable: true, writable: true }
        : undefined,
  });
}
