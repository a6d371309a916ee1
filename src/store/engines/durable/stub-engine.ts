/**
 * The engine outside of a Durable Object: it asks the object by RPC. A stub whose object was reset stays broken, and
 * no invocation may use another's, so each question has a stub of its own.
 */
import { err, ok, type Result } from "../../../domain/result.ts";
import type { Room } from "../../../domain/limits/room.ts";
import type { AsyncResult } from "../../../domain/refusals.ts";
import type { Statement } from "../contract/sql.ts";
import type { Engine, Fault, Job, Outcome } from "../contract/engine.ts";

/** What an object answers by RPC. */
export interface DatabaseObject {
  write(job: Job): Promise<Outcome>;
  read(statements: readonly Statement[]): Promise<Outcome>;
}

/** What a tenant's object answers besides the engine's questions. */
export interface TenantStub extends DatabaseObject {
  room(): Promise<Room>;
  /** what happens to the tenant's records, as lines of `feed-lines.ts` */
  follow(
    tenantId: string,
    since: number | null,
  ): AsyncResult<ReadableStream<Uint8Array<ArrayBuffer>>>;
}

/** How the object is reached. */
interface Reach<Stub> {
  /** a new stub */
  connect: () => Stub;
  wait: (ms: number) => Promise<void>;
}

/** ms. A reset object is back by then; an evicted object was gone before the request. */
const pauseMs = 50;
const tries = 3;
/** A caller may ask a lost object again after a second. */
const lost = err({ reason: "unavailable", retryAfterMs: 1_000 } as const);

/** More requests would only keep an overloaded object overloaded. */
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
