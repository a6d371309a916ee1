/**
 * The engine outside of a Durable Object: it asks the object by RPC. A stub whose object was reset stays broken, and
 * the runtime does not always say which errors may be tried again, so any thrown error costs the stub its place.
 */
import type { Statement } from "../books/sql.ts";
import type { Engine, Fault, Job, Outcome } from "../engine.ts";

/** What an object answers by RPC. */
export interface DatabaseObject {
  write(job: Job): Promise<Outcome>;
  read(statements: readonly Statement[]): Promise<Outcome>;
}

/** ms. A reset object is back by then; one that is evicted was gone already. */
const pauseMs = 50;
const tries = 3;

/** More requests would only keep an overloaded object overloaded. */
const isOverloaded = (cause: unknown): boolean =>
  cause instanceof Error && "overloaded" in cause && cause.overloaded === true;

const faultOf = (cause: unknown): Fault => ({
  code: isOverloaded(cause) ? "OBJECT_OVERLOADED" : "OBJECT_LOST",
  message: cause instanceof Error ? cause.message : String(cause),
});

/** @param deps `connect`: a new stub */
export function createStubEngine(deps: {
  connect: () => DatabaseObject;
  wait: (ms: number) => Promise<void>;
}): Engine {
  const { connect, wait } = deps;
  let stub: DatabaseObject | null = null;
  const ask = async (
    question: (object: DatabaseObject) => Promise<Outcome>,
    ifLost: "again" | "once",
  ): Promise<Outcome> => {
    for (let left = ifLost === "again" ? tries : 1; ; left -= 1) {
      try {
        stub ??= connect();
        return await question(stub);
      } catch (cause) {
        stub = null;
        if (left === 1 || isOverloaded(cause)) return { ok: false, fault: faultOf(cause) };
        await wait(pauseMs);
      }
    }
  };
  return {
    write: (job, ifLost = "once") => ask((object) => object.write(job), ifLost),
    read: (statements) => ask((object) => object.read(statements), "again"),
  };
}
