/** What the suites of the ledger share: its steps, and readers of what is counted and recorded. */
import { eq, sql } from "drizzle-orm";
import { expect } from "vitest";
import type { Receipt, Settlement } from "../../../src/domain/audit/record.ts";
import type { LimitState } from "../../../src/domain/limits/limit-checks.ts";
import type { Resource } from "../../../src/domain/limits/resources.ts";
import type { Admission, Reservation } from "../../../src/domain/ports/ledger.ts";
import { raw, type Database, type Row } from "../../../src/store/db.ts";
import { usage } from "../../../src/store/schema/ledger-schema.ts";
import { samplingRequests } from "../../../src/store/schema.ts";
import { reservation, settlement, type Caller, type ReservationFields } from "./fixtures.ts";
import { givenWorld, storesOn, value, type Backend } from "./open.ts";

export const second = 1_000;

/** An admission in one word, for the lines of a test. */
export const told = (admission: Admission): string =>
  admission.state === "refused"
    ? `refused by ${admission.check.scope} ${admission.check.resource}`
    : admission.state;

export const waitOf = (admission: Admission): number | null => {
  if (admission.state !== "refused") throw new Error(`not refused: ${admission.state}`);
  return admission.retryAfterMs;
};

export const limitsOf = (admission: Admission): LimitState[] =>
  admission.state === "admitted" || admission.state === "refused" ? admission.limits : [];

/** A database that sends every batch twice, as if the first answer had been lost. */
export const sendingTwice = ({ writeInBulk, enter, ...db }: Database): Database => ({
  builder: db.builder,
  read: (work) => db.read(work),
  async write(statements) {
    await db.write(statements);
    return db.write(statements);
  },
  ...(writeInBulk !== undefined && {
    async writeInBulk(bulk, item, slot) {
      await writeInBulk(bulk, item, slot);
      return writeInBulk(bulk, item, slot);
    },
  }),
  ...(enter !== undefined && {
    async enter(entry, slot) {
      await enter(entry, slot);
      return enter(entry, slot);
    },
  }),
  probe: db.probe,
});

export function givenLedger(backend: Backend) {
  const world = givenWorld(backend);

  const admit = async (who: Caller, now: number, fields: ReservationFields = {}) =>
    value(await world.stores.ledger.admit(reservation(who, now, fields)));

  /** What the calls of this test were told, by their ids. */
  const receipts = new Map<string, Receipt>();

  /** Reserves, and gives the reservation to be settled. */
  const running = async (
    who: Caller,
    now: number,
    fields: ReservationFields = {},
  ): Promise<Reservation> => {
    const reserved = reservation(who, now, fields);
    const admission = value(await world.stores.ledger.admit(reserved));
    expect(told(admission)).toBe("admitted");
    if (admission.state === "admitted") receipts.set(reserved.opening.id, admission.receipt);
    return reserved;
  };

  const settle = async (reserved: Reservation, now: number, fields: Partial<Settlement> = {}) => {
    const receipt = receipts.get(reserved.opening.id) ?? null;
    return value(
      await world.stores.ledger.settle(settlement(reserved, now, { receipt, ...fields })),
    );
  };

  const rows = async (query: ReturnType<typeof sql>): Promise<Row[]> =>
    value(await world.db.write([raw(query)]))[0] ?? [];

  /** What is counted for a subject, over all time. */
  const counted = async (subject: string, resource: Resource): Promise<number> => {
    const [row] = await rows(sql`select coalesce(sum(amount), 0) as amount from counters
      where subject = ${subject} and resource = ${resource}`);
    return Number(row?.["amount"]);
  };

  const record = async (who: Caller, id: string) =>
    value(await world.stores.requests.get(who.tenantId, id));

  const recordRows = async (tenantId: string) =>
    value(
      await world.db.read((builder) =>
        builder.select().from(samplingRequests).where(eq(samplingRequests.tenantId, tenantId)),
      ),
    );

  const usageRows = async (tenantId: string) =>
    value(
      await world.db.read((builder) =>
        builder.select().from(usage).where(eq(usage.tenantId, tenantId)),
      ),
    );

  /** The ledger over a database that sends everything twice. */
  const twice = () => storesOn(sendingTwice(world.db));

  return {
    world,
    admit,
    running,
    settle,
    rows,
    counted,
    record,
    recordRows,
    usageRows,
    twice,
  };
}
