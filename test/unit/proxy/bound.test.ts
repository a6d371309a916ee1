/** So many at once, and no more. */
import { expect, it } from "vitest";
import { createBound } from "../../../src/proxy/bound.ts";

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

it("lets as many in at once as there are places, and the next when a place is free", async () => {
  const bound = createBound(2);
  const entered: number[] = [];
  const leaves: (() => void)[] = [];
  const enter = async (number: number): Promise<void> => {
    leaves.push(await bound.enter());
    entered.push(number);
  };
  void enter(1);
  void enter(2);
  void enter(3);
  void enter(4);
  await turns();
  expect(entered).toEqual([1, 2]);
  leaves[0]?.();
  await turns();
  expect(entered).toEqual([1, 2, 3]);
  leaves[1]?.();
  await turns();
  expect(entered).toEqual([1, 2, 3, 4]);
});

it("counts a place that is left twice once", async () => {
  const bound = createBound(1);
  const leave = await bound.enter();
  leave();
  leave();
  await bound.enter();
  let isIn = false;
  void bound.enter().then(() => (isIn = true));
  await turns();
  expect(isIn).toBe(false);
});
