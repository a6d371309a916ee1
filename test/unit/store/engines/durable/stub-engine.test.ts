/** Calls to a Durable Object are repeated only where a repetition is safe. */
import { describe, expect, it } from "vitest";
import { createStubEngine } from "../../../../../src/store/engines/durable/stub-engine.ts";
import type { Outcome } from "../../../../../src/store/engines/contract/engine.ts";

const done: Outcome = { ok: true, rows: [] };
const statements = [{ sql: "select 1", params: [] }];

/** Stubs that fail so many questions, and how often each stub was asked. */
function failing(errors: readonly Error[]) {
  const left = [...errors];
  const asked: number[] = [];
  const waits: number[] = [];
  const answer = (place: number) => async (): Promise<Outcome> => {
    asked[place] = (asked[place] ?? 0) + 1;
    const error = left.shift();
    if (error !== undefined) throw error;
    return done;
  };
  const engine = createStubEngine({
    connect() {
      const place = asked.push(0) - 1;
      return { write: answer(place), read: answer(place) };
    },
    wait: async (ms) => void waits.push(ms),
  });
  return { engine, asked, waits };
}

const reset = new Error("Durable Object reset because its code was updated.");
const overloaded = Object.assign(new Error("Durable Object is overloaded."), { overloaded: true });

describe("an engine outside of its object", () => {
  it("asks a new stub each time, since no invocation may use another's", async () => {
    const { engine, asked } = failing([]);
    await engine.read(statements);
    await engine.write(statements);
    expect(asked).toEqual([1, 1]);
  });

  it("repeats what may be repeated, since an object that was reset begins again", async () => {
    const { engine, asked, waits } = failing([reset, reset]);
    expect(await engine.write(statements, "again")).toEqual(done);
    expect(asked).toEqual([1, 1, 1]);
    expect(waits).toHaveLength(2);
    const reading = failing([reset]);
    expect(await reading.engine.read(statements)).toEqual(done);
  });

  it("repeats nothing else, and asks again the next time", async () => {
    const { engine, asked } = failing([reset]);
    expect(await engine.write(statements)).toMatchObject({
      ok: false,
      fault: { code: "OBJECT_LOST" },
    });
    expect(await engine.write(statements)).toEqual(done);
    expect(asked).toEqual([1, 1]);
  });

  it("gives up after three tries", async () => {
    const { engine, asked } = failing([reset, reset, reset]);
    expect(await engine.read(statements)).toMatchObject({ ok: false });
    expect(asked).toEqual([1, 1, 1]);
  });

  it("asks an overloaded object no more", async () => {
    const { engine, asked } = failing([overloaded]);
    expect(await engine.write(statements, "again")).toMatchObject({
      ok: false,
      fault: { code: "OBJECT_OVERLOADED" },
    });
    expect(asked).toEqual([1]);
  });
});
