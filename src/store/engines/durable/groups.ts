/** The local runtime syncs the disk for each write. Each write stays a transaction; a single write never waits. */
export type InGroup = <T>(work: () => T) => Promise<T>;

export function createGroups(durable: () => Promise<void>): InGroup {
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
