/** Guards against leaving a page. Must be imported before the pages' router, which listens to the same events. */
type Guard = (event: Event) => void;

const guards = new Set<Guard>();
for (const kind of ["click", "popstate"])
  addEventListener(kind, (event) => [...guards].at(-1)?.(event), true);

export function guardPage(guard: Guard): () => void {
  guards.add(guard);
  return () => void guards.delete(guard);
}
