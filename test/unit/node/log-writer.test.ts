import { expect, it } from "vitest";
import { createLogWriter } from "../../../src/node/log-writer.ts";

/** A writer whose waiting time ends when the test says so. */
function writerUnderTest() {
  const written: string[] = [];
  const due = new Set<() => void>();
  const writer = createLogWriter({
    write: (lines) => void written.push(lines),
    after(_ms, act) {
      due.add(act);
      return () => void due.delete(act);
    },
  });
  const passTime = (): void => {
    for (const act of due) {
      due.delete(act);
      act();
    }
  };
  return { writer, written, due, passTime };
}

it("writes lines that come together in one piece and in order", () => {
  const { writer, written, passTime } = writerUnderTest();
  writer.write("one");
  writer.write("two");
  expect(written).toEqual([]);
  passTime();
  expect(written).toEqual(["one\ntwo\n"]);
  writer.write("three");
  passTime();
  expect(written).toEqual(["one\ntwo\n", "three\n"]);
});

it("writes what waits when it is told to, once, and nothing where nothing waits", () => {
  const { writer, written, due, passTime } = writerUnderTest();
  writer.flush();
  writer.write("last words");
  writer.flush();
  expect(due.size).toBe(0);
  passTime();
  expect(written).toEqual(["last words\n"]);
});

it("does not wait once many lines have come", () => {
  const { writer, written } = writerUnderTest();
  for (let count = 0; count < 64; count += 1) writer.write(`${count}`);
  expect(written).toHaveLength(1);
  expect(written[0]?.split("\n")).toHaveLength(65);
});
