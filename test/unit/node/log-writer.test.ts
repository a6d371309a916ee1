/** Log lines are written in order, in batches, and none is lost at the end. */
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
    // What is begun meanwhile ends later.
    const ending = Array.from(due);
    due.clear();
    for (const act of ending) act();
  };
  return { writer, written, due, passTime };
}

it("writes a line after a quiet moment at once", () => {
  const { writer, written, passTime } = writerUnderTest();
  writer.write("one");
  expect(written).toEqual(["one\n"]);
  passTime();
  writer.write("two");
  expect(written).toEqual(["one\n", "two\n"]);
});

it("writes lines that come soon after a write in one piece and in order", () => {
  const { writer, written, passTime } = writerUnderTest();
  writer.write("one");
  writer.write("two");
  writer.write("three");
  expect(written).toEqual(["one\n"]);
  passTime();
  expect(written).toEqual(["one\n", "two\nthree\n"]);
  writer.write("four");
  expect(written).toHaveLength(2);
  passTime();
  expect(written.at(-1)).toBe("four\n");
});

it("writes what waits when it is told to, once, and nothing where nothing waits", () => {
  const { writer, written, due, passTime } = writerUnderTest();
  writer.flush();
  writer.write("one");
  writer.write("last words");
  writer.flush();
  expect(due.size).toBe(0);
  passTime();
  expect(written).toEqual(["one\n", "last words\n"]);
});

it("waits for nothing when nothing is left to write", () => {
  const { writer, due, passTime } = writerUnderTest();
  writer.write("one");
  expect(due.size).toBe(1);
  passTime();
  expect(due.size).toBe(0);
});

it("does not wait once many lines have come", () => {
  const { writer, written } = writerUnderTest();
  for (let count = 0; count < 65; count += 1) writer.write(`${count}`);
  expect(written).toHaveLength(2);
  expect(written[1]?.split("\n")).toHaveLength(65);
});
