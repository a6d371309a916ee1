/** Bounds how many things run at once. What comes when all places are taken waits for a place. */
export interface Bound {
  /** Waits for a place, and takes it. What `enter` gives leaves the place; a second call does nothing. */
  enter(): Promise<() => void>;
}

export function createBound(most: number): Bound {
  let running = 0;
  let place: PromiseWithResolvers<void> | null = null;
  const isFull = (): boolean => running >= most;
  return {
    async enter() {
      while (isFull()) await (place ??= Promise.withResolvers<void>()).promise;
      running += 1;
      let isInside = true;
      return () => {
        if (!isInside) return;
        isInside = false;
        running -= 1;
        place?.resolve();
        place = null;
      };
    },
  };
}
