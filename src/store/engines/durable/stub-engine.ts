/**
 * A new stub for each request: a stub stays broken after its object resets, and invocations must not share
 * stubs.
 */
import { err, ok, type Result } from "../../../domain/result.ts";
import type { Room } from "../../../domain/limits/room.ts";
import type { AsyncResult } from "../../../domain/refusals.ts";
import type { Statement } from "../contract/sql.ts";
import type { Engine, Fault, Job, Outcome } from "../contract/engine.ts";

export interface DatabaseObject {
  write(job: Job): Promise<Outcome>;
  read(statements: readonly Statement[]): Promise<Outcome>;
}

export interface TenantStub extends DatabaseObject {
  room(): Promise<Room>;
  follow(
    tenantId: string,
    since: number | null,
  ): AsyncResult<ReadableStream<Uint8Array<ArrayBuffer>>>;
}

interface Reach<Stub> {
  connect: () => Stub;
  wait: (ms: number) => Promise<void>;
}

const pauseMs = 50;
const tries = 3;
const lost = err({ reason: "unavailable", retryAfterMs: 1_000 } as const);

/** Retries would keep an overloaded object overloaded. */
const isOverloaded = (cause: unknown): boolean =>
  cause instanceof Error && "overloaded" in cause && cause.overloaded === true;

const faultOf = (cause: unknown): Fault => ({
  code: isOverloaded(cause) ? "OBJECT_OVERLOADED" : "OBJECT_LOST",
  message: cause instanceof Error ? cause.message : String(cause),
});

const createAsk =
  <Stub>({ connect, wait }: Reach<Stub>) =>
  async <T>(
    question: (object: Stub) => Promise<T>,
    ifLost: "again" | "once",
  ): Promise<Result<T, Fault>> => {
    for (let left = ifLost === "again" ? tries : 1; ; left -= 1) {
      try {
        return ok(await question(connect()));
      } catch (cause) {
        if (left === 1 || isOverloaded(cause)) return err(faultOf(cause));
        await wait(pauseMs);
      }
    }
  };

export function createStubEngine(reach: Reach<DatabaseObject>): Engine {
  const ask = createAsk(reach);
  const outcomeOf = (asked: Result<Outcome, Fault>): Outcome =>
    asked.ok ? asked.value : { ok: false, fault: asked.error };
  return {
    write: async (job, ifLost = "once") =>
      outcomeOf(await ask((object) => object.write(job), ifLost)),
    read: async (statements) => outcomeOf(await ask((object) => object.read(statements), "again")),
  };
}

export async function askToFollow(
  reach: Reach<Pick<TenantStub, "follow">>,
  { tenantId, since }: { tenantId: string; since: number | null },
): AsyncResult<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const lines = await createAsk(reach)((object) => object.follow(tenantId, since), "again");
  return lines.ok ? lines.value : lost;
}

export async function askRoom(reach: Reach<Pick<TenantStub, "room">>): AsyncResult<Room> {
  const room = await createAsk(reach)((object) => object.room(), "again");
  return room.ok ? room : lost;
}
