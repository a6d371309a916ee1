/** Sends all queued writes as one group, one group at a time. Independent of any driver. */
import type { Bulk, BulkWrite, JoinBulk, Row, Send, Sending, Sent } from "../../db.ts";

export type WriteOutcome = { state: "done"; rows: Row[][] } | { state: "failed"; cause: unknown };

export interface NotStarted {
  cause: unknown;
}

/** `null` if the group failed as a whole and nothing was written. Throws if the answer was lost. */
export type SendGroup = (
  group: readonly (readonly Sent[])[],
) => Promise<readonly WriteOutcome[] | NotStarted | null>;

export interface WriteGroups {
  send: Send;
  join: JoinBulk;
}

interface Waiting extends Sending {
  write: { statements: readonly Sent[] } | { bulk: Bulk<unknown, unknown>; item: unknown };
  /** @param outcome `null`: a failed bulk write, whose caller retries alone */
  done: (outcome: unknown) => void;
  failed: (cause: unknown) => void;
}

interface Part {
  statements: readonly Sent[];
  writers: readonly Waiting[];
  outcomes: BulkWrite<unknown>["outcomes"];
  isBulk: boolean;
}

/** libSQL limits a response to 10 MB. */
const maxPerGroup = 64;

function partsOf(group: readonly Waiting[]): Part[] {
  const parts: (() => Part)[] = [];
  const bulks = new Map<unknown, { items: unknown[]; writers: Waiting[] }>();
  for (const waiting of group) {
    const { write } = waiting;
    if ("statements" in write) {
      const { statements } = write;
      const writers = [waiting];
      parts.push(() => ({ statements, writers, outcomes: (rows) => [rows], isBulk: false }));
      continue;
    }
    const known = bulks.get(write.bulk);
    const { items, writers } = known ?? { items: [], writers: [] };
    items.push(write.item);
    writers.push(waiting);
    if (known !== undefined) continue;
    bulks.set(write.bulk, { items, writers });
    parts.push(() => ({ ...write.bulk(items), writers, isBulk: true }));
  }
  return parts.map((make) => make());
}

/** For a write that had no effect. Callers of a bulk write then retry one by one, to find the failing write. */
function failPart({ writers, isBulk }: Part, cause: unknown): void {
  for (const write of writers)
    if (isBulk) write.done(null);
    else write.failed(cause);
}

function dealPart(part: Part, sorted: WriteOutcome | undefined): void {
  if (sorted?.state !== "done") return failPart(part, sorted?.cause);
  try {
    const outcomes = part.outcomes(sorted.rows);
    for (const [at, write] of part.writers.entries()) write.done(outcomes[at] ?? null);
  } catch (cause) {
    // An exception in one write must not stop later writes.
    for (const write of part.writers) write.failed(cause);
  }
}

const refused = (): Error => new Error("the write's caller has timed out");

function awaitedOf(group: readonly Waiting[]): Waiting[] {
  for (const write of group) if (!write.isAwaited()) write.failed(refused());
  return group.filter(({ isAwaited }) => isAwaited());
}

export function createWriteGroups(sendGroup: SendGroup): WriteGroups {
  const waiting: Waiting[] = [];
  let isSending = false;

  const alone = async (part: Part): Promise<void> => {
    if (!part.writers.some(({ isAwaited }) => isAwaited())) return failPart(part, refused());
    try {
      const answers = await sendGroup([part.statements]);
      if (answers !== null && "cause" in answers) failPart(part, answers.cause);
      else dealPart(part, answers?.[0] ?? { state: "failed", cause: new Error("it failed") });
    } catch (cause) {
      for (const write of part.writers) write.failed(cause);
    }
  };

  /** The response was lost, so the write may have had an effect. Writes that can be repeated are sent again. */
  const lost = async (group: readonly Waiting[], cause: unknown): Promise<void> => {
    for (const write of group.filter(({ ifLost }) => ifLost === "once")) write.failed(cause);
    const repeatable = group.filter(({ ifLost }) => ifLost === "again");
    for (const write of repeatable) write.ifLost = "once";
    await together(repeatable);
  };

  async function together(asked: readonly Waiting[]): Promise<void> {
    const group = awaitedOf(asked);
    if (group.length === 0) return;
    let parts: Part[];
    let answers: Awaited<ReturnType<SendGroup>>;
    try {
      parts = partsOf(group);
      answers = await sendGroup(parts.map(({ statements }) => statements));
    } catch (cause) {
      return lost(group, cause);
    }
    // Retries each part alone to find the failing one.
    if (answers === null) for (const part of parts) await alone(part);
    else if ("cause" in answers) for (const write of group) write.failed(answers.cause);
    else for (const [at, part] of parts.entries()) dealPart(part, answers[at]);
  }

  async function pump(): Promise<void> {
    if (isSending) return;
    isSending = true;
    while (waiting.length > 0) await together(waiting.splice(0, maxPerGroup));
    isSending = false;
  }

  const enter = (write: Waiting["write"], sending: Sending): Promise<unknown> =>
    new Promise((done, failed) => {
      waiting.push({ ...sending, write, done, failed });
      void pump();
    });
  return {
    send: async (statements, sending) => (await enter({ statements }, sending)) as Row[][],
    join: async <Item, Outcome>(bulk: Bulk<Item, Outcome>, item: Item, sending: Sending) =>
      // The type is erased in the queue.
      (await enter({ bulk: bulk as Bulk<unknown, unknown>, item }, sending)) as Outcome | null,
  };
}
