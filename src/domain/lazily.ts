/** What an invocation may need and mostly doesn't: made when it is first asked for, once. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** An object whose members are made when they are first read. Spreading it makes them all. */
export function lazily<T extends object>(makers: { readonly [K in keyof T]: () => T[K] }): T {
  const made = {} as T;
  for (const name of Object.keys(makers) as (keyof T)[])
    Object.defineProperty(made, name, { enumerable: true, get: once(makers[name]) });
  return made;
}
