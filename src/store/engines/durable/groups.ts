/**
 * Writes that come while another one is not durable yet wait for it, and then happen together: the local runtime syncs
 * the disk each time that somebody writes. A write that comes alone waits for nothing. Each stays a transaction of its own.
 */
export type InGroup = <T>(work: () => T) => Promise<T>;

/** @param durable resolves once all that was written so far is durable */
export function createGroups(durable: () => Promise<void>): InGroup {
  /** null: everything is durable */
  let waiting: (() => void)[] | null = null;
  const begin = (works: readonly (() => void)[]): void => {
    waiting = [];
    for (const work of works) work();
    void soon();
  };
  const soon = async (): Promise<void> => {
    // The next write fails where the storage is broken, so nothing is said here.
    await durable().catch(() => undefined);
    const works = waiting ?? [];
    if (works.length > 0) begin(works);
    else waiting = null;
  };
  return (work) =>
    new Promise((resolve, reject) => {
      const run = (): void => {
        try {
          resolve(work());
        } catch (cause) {
          reject(cause);
        }
      };
      if (waiting === null) begin([run]);
      else waiting.push(run);
    });
}
