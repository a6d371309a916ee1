/**
 * Who is asked before the console shows another page. The pages' router listens to the same events of the window, and
 * listeners of one target come in their order: this module is imported before the router begins to listen.
 */
type Guard = (event: Event) => void;

const guards = new Set<Guard>();
for (const kind of ["click", "popstate"])
  addEventListener(kind, (event) => [...guards].at(-1)?.(event), true);

/** @returns takes the guard away again */
export function guardPage(guard: Guard): () => void {
  guards.add(guard);
  return () => void guards.delete(guard);
}
