/** Values that an invocation may need and mostly doesn't. Each value is made once, when it is first asked for. */
export function memoize<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/**
 * An object whose members are made when they are first read. Spreading the object makes all members. It is a
 * proxy, since defining a getter for each member takes longer than an invocation needs for the few that it
 * reads.
 */
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
