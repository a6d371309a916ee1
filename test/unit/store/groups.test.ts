/** Writes of a Durable Object are grouped while an earlier one is not yet durable. */
import { describe, expect, it } from "vitest";
import { createGroups } from "../../../src/store/engines/durable/groups.ts";

/** A disk that a test lets finish. */
function given() {
  const done: string[] = [];
  const syncs: PromiseWithResolvers<void>[] = [];
  const inGroup = createGroups(() => {
    const sync = Promise.withResolvers<void>();
    syncs.push(sync);
    return sync.promise;
  });
  const write = (name: string) =>
    inGroup(() => {
      done.push(name);
      if (name === "broken") throw new Error("broken");
      return name;
    });
  return { done, syncs, write };
}

describe("writes of an object", () => {
  it("happen at once where everything is durable", async () => {
    const { done, write } = given();
    const first = write("a");
    expect(done).toEqual(["a"]);
    await expect(first).resolves.toBe("a");
  });

  it("wait for a write that is not durable yet, and then happen together", async () => {
    const { done, syncs, write } = given();
    void write("a");
    const later = [write("b"), write("c")];
    expect(done).toEqual(["a"]);
    syncs[0]?.resolve();
    await expect(Promise.all(later)).resolves.toEqual(["b", "c"]);
    expect(syncs).toHaveLength(2);
  });

  it("go on after a write that failed, and after a sync that failed", async () => {
    const { syncs, write } = given();
    void write("a");
    const [broken, fine] = [write("broken"), write("b")];
    syncs[0]?.reject(new Error("the object is gone"));
    await expect(broken).rejects.toThrow("broken");
    await expect(fine).resolves.toBe("b");
    syncs[1]?.resolve();
    await Promise.resolve();
    await Promise.resolve();
    const last = write("c");
    await expect(last).resolves.toBe("c");
  });
});
