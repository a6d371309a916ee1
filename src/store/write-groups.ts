/** All writes that wait are sent as one, and one such group is on its way at a time. Pure of any driver. */
import type { Row, Send, Sent } from "./db.ts";

/** What became of one write of a group. */
export type Sorted =
  | { state: "done"; rows: Row[][] }
  /** it failed, alone or with its group, and nothing of it was written */
  | { state: "failed"; cause: unknown };

/** null: the group failed as a whole, and nothing was written. Throws where the answer was lost. */
export type SendGroup = (group: readonly (readonly Sent[])[]) => Promise<Sorted[] | null>;

export interface WriteGroups {
  send: Send;
}

interface Waiting {
  statements: readonly Sent[];
  ifLost: "again" | "once";
  done: (rows: Row[][]) => void;
  failed: (cause: unknown) => void;
}

/** In one group; an answer of the libSQL server ends at 10 MB. */
const mostInGroup = 64;

export function createWriteGroups(sendGroup: SendGroup): WriteGroups {
  const waiting: Waiting[] = [];
  let isSending = false;

  const alone = async (write: Waiting): Promise<void> => {
    try {
      const [sorted] = (await sendGroup([write.statements])) ?? [];
      if (sorted?.state === "done") write.done(sorted.rows);
      else write.failed(sorted?.cause ?? new Error("the transaction failed"));
    } catch (cause) {
      write.failed(cause);
    }
  };

  /** Nobody knows whether it was written. Those that can find out by themselves are asked to. */
  const lost = async (group: readonly Waiting[], cause: unknown): Promise<void> => {
    for (const write of group.filter(({ ifLost }) => ifLost === "once")) write.failed(cause);
    const repeatable = group.filter(({ ifLost }) => ifLost === "again");
    for (const write of repeatable) write.ifLost = "once";
    if (repeatable.length > 0) await together(repeatable);
  };

  async function together(group: readonly Waiting[]): Promise<void> {
    let sorted: Sorted[] | null;
    try {
      sorted = await sendGroup(group.map(({ statements }) => statements));
    } catch (cause) {
      return lost(group, cause);
    }
    // Whose fault it was is found by asking each alone.
    if (sorted === null) for (const write of group) await alone(write);
    else
      for (const [at, write] of group.entries()) {
        const its = sorted[at];
        if (its?.state === "done") write.done(its.rows);
        else write.failed(its?.cause);
      }
  }

  async function pump(): Promise<void> {
    if (isSending) return;
    isSending = true;
    while (waiting.length > 0) await together(waiting.splice(0, mostInGroup));
    isSending = false;
  }

  return {
    send: (statements, ifLost) =>
      new Promise((done, failed) => {
        waiting.push({ statements, ifLost, done, failed });
        void pump();
      }),
  };
}
