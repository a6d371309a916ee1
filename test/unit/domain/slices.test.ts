/** One tenant's crowd works in slices, so that other tenants' calls start at once. */
import { describe, expect, it } from "vitest";
import { createSlices, withoutSlices } from "../../../src/domain/limits/slices.ts";

/** A thread with a crowd and, if asked for, a calm tenant beside it. Nothing works yet. */
function given({ calm }: { calm: "calls" | "is silent" }) {
  const woken: string[] = [];
  const slicesFor = createSlices();
  const crowd = slicesFor(() => woken.push("crowd"));
  const other = slicesFor(() => woken.push("other"));
  const quiet = slicesFor(() => woken.push("quiet"));
  if (calm === "calls") quiet.note(1, 0);
  crowd.note(4, 0);
  return { woken, crowd, other, quiet };
}

describe("slices", () => {
  it("let a crowd work and rest while a calm tenant calls", () => {
    const { crowd } = given({ calm: "calls" });
    expect(crowd.mayWork(0)).toBe(true);
    expect(crowd.mayWork(24)).toBe(true);
    expect(crowd.mayWork(25)).toBe(false);
    crowd.idle(40);
    expect(crowd.mayWork(41)).toBe(false);
    expect(crowd.opensInMs(41)).toBe(39);
    expect(crowd.mayWork(79)).toBe(false);
    expect(crowd.mayWork(80)).toBe(true);
  });

  it("are followed by a rest of 25 ms at least, so that calls come together", () => {
    const { crowd } = given({ calm: "calls" });
    expect(crowd.mayWork(0)).toBe(true);
    crowd.idle(2);
    expect(crowd.mayWork(26)).toBe(false);
    expect(crowd.mayWork(27)).toBe(true);
  });

  it("have no rest where they took less than 2 ms: a call that only waits for its body", () => {
    const { crowd } = given({ calm: "calls" });
    expect(crowd.mayWork(0)).toBe(true);
    crowd.idle(1);
    expect(crowd.mayWork(1)).toBe(true);
  });

  it("have a rest of 50 ms at most, however late somebody sees that they are over", () => {
    const { crowd, quiet } = given({ calm: "calls" });
    expect(crowd.mayWork(0)).toBe(true);
    quiet.note(1, 3_600_000);
    crowd.note(4, 3_600_000);
    expect(crowd.mayWork(3_600_000)).toBe(true);
    crowd.idle(3_600_400);
    expect(crowd.mayWork(3_600_400)).toBe(true);
  });

  it("take three calls at once for no crowd", () => {
    const slicesFor = createSlices();
    const [three, quiet] = [slicesFor(() => {}), slicesFor(() => {})];
    quiet.note(1, 0);
    three.note(3, 0);
    expect(three.mayWork(0)).toBe(true);
    expect(three.mayWork(30)).toBe(true);
  });

  it("tell a call that waits when to ask again, and nothing once the calm tenant has stopped", () => {
    const { woken, crowd } = given({ calm: "calls" });
    crowd.note(4, 970);
    expect(crowd.mayWork(970)).toBe(true);
    crowd.idle(980);
    expect(woken).toEqual([]);
    expect(crowd.mayWork(990)).toBe(false);
    expect(woken).toEqual(["crowd"]);
    expect(crowd.opensInMs(990)).toBe(15);
    expect(crowd.mayWork(1_000)).toBe(true);
    expect(crowd.opensInMs(1_000)).toBe(Number.POSITIVE_INFINITY);
  });

  it("never hold a calm tenant up", () => {
    const { crowd, quiet } = given({ calm: "calls" });
    crowd.mayWork(0);
    crowd.idle(10);
    quiet.note(2, 11);
    expect(quiet.mayWork(11)).toBe(true);
    expect(quiet.opensInMs(11)).toBe(Number.POSITIVE_INFINITY);
  });

  it("hold no crowd up that is alone, or beside crowds alone", () => {
    const { crowd, other } = given({ calm: "is silent" });
    other.note(9, 0);
    for (const now of [0, 30, 60, 90]) {
      expect(crowd.mayWork(now)).toBe(true);
      expect(other.mayWork(now)).toBe(true);
    }
  });

  it("do not take a crowd for the calm tenant that it was before", () => {
    const { crowd } = given({ calm: "is silent" });
    const slicesFor = createSlices();
    const grown = slicesFor(() => {});
    grown.note(1, 0);
    grown.note(5, 1);
    expect(grown.mayWork(1)).toBe(true);
    expect(grown.mayWork(40)).toBe(true);
    expect(crowd.mayWork(40)).toBe(true);
  });

  it("end a second after the calm tenant's last call", () => {
    const { crowd } = given({ calm: "calls" });
    crowd.note(4, 990);
    expect(crowd.mayWork(990)).toBe(true);
    crowd.idle(1_000);
    expect(crowd.mayWork(1_000)).toBe(true);
  });

  it("are shared by all crowds: they rest at once, and one call of each that waits is woken", () => {
    const { woken, crowd, other } = given({ calm: "calls" });
    other.note(4, 0);
    expect(crowd.mayWork(0)).toBe(true);
    expect(other.mayWork(0)).toBe(true);
    expect(other.mayWork(30)).toBe(false);
    expect(woken.splice(0)).toEqual(["other"]);
    other.idle(35);
    expect(woken).toEqual([]);
    crowd.idle(40);
    expect(woken).toEqual(["other"]);
    expect(crowd.mayWork(79)).toBe(false);
    expect(other.mayWork(80)).toBe(true);
  });

  it("are over after 50 ms, though a call of the crowd never says that it is done", () => {
    const { crowd } = given({ calm: "calls" });
    expect(crowd.mayWork(0)).toBe(true);
    expect(crowd.mayWork(30)).toBe(false);
    expect(crowd.opensInMs(30)).toBe(20);
    expect(crowd.mayWork(99)).toBe(false);
    expect(crowd.opensInMs(99)).toBe(1);
    expect(crowd.mayWork(100)).toBe(true);
  });

  it("are none where an order has the thread for itself", () => {
    withoutSlices.note(100, 0);
    expect(withoutSlices.mayWork(0)).toBe(true);
    withoutSlices.idle(0);
    expect(withoutSlices.opensInMs(0)).toBe(Number.POSITIVE_INFINITY);
  });
});
