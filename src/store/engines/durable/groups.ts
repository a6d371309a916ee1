/**
 * Batches writes that arrive while another write is not yet durable, since the local runtime syncs the disk for
 * each. Each write stays a transaction of its own; a single write never waits.
 */
export type InGroup = <T>(work: () => T) => Promise<T>;

/** @param durable resolves once everything written so far is durable */
export function createGroups(durable: () => Promise<void>): InGroup {
  /** `null` if everything is durable */
  let waiting: (() => void)[] | null = null;
  const begin = (works: readonly (() => void)[]): void => {
    waiting = [];
    for (const work of works) work();
    void soon();
  };
  const soon = async (): Promise<void> => {
    // A storage failure surfaces at the next write.
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
