/** Reads of an answer's body give all that has arrived, and nothing of it is lost at its end. */
import { describe, expect, it, vi } from "vitest";
import { createAnswerBody } from "../../../src/node/direct/answer-body.ts";

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const textOf = ({ value }: { value?: Uint8Array | undefined }): string | null =>
  value === undefined ? null : new TextDecoder().decode(value);

function arriving() {
  const connection = { resume: vi.fn(), cancel: vi.fn() };
  const made = createAnswerBody(connection);
  return { ...made, connection, reader: made.body.getReader() };
}

describe("the body of an answer", () => {
  it("gives a waiting reader what came in one turn in one piece", async () => {
    const { push, end, reader } = arriving();
    const first = reader.read();
    for (const text of ["one ", "two ", "three"]) expect(push(bytes(text))).toBe(true);
    end();
    expect(textOf(await first)).toBe("one two three");
    expect(await reader.read()).toMatchObject({ done: true });
  });

  it("gives a later reader all that waits, and lets the connection go on", async () => {
    const { push, reader, connection } = arriving();
    expect(push(bytes("x".repeat(1_500)))).toBe(true);
    expect(push(bytes("x".repeat(1_500)))).toBe(false);
    expect(textOf(await reader.read())).toHaveLength(3_000);
    expect(connection.resume).toHaveBeenCalledOnce();
    expect(push(bytes("y"))).toBe(true);
    expect(textOf(await reader.read())).toBe("y");
  });

  it("gives no empty piece, which undici makes when it resumes", async () => {
    const { push, reader } = arriving();
    expect(push(bytes(""))).toBe(true);
    const next = reader.read();
    push(bytes(""));
    push(bytes("x"));
    expect(textOf(await next)).toBe("x");
  });

  it("never holds the connection up while a reader waits", async () => {
    const { push, reader, connection } = arriving();
    const first = reader.read();
    for (let count = 0; count < 3; count += 1)
      expect(push(bytes("x".repeat(64 * 1024)))).toBe(true);
    expect(textOf(await first)).toHaveLength(3 * 64 * 1024);
    expect(connection.resume).not.toHaveBeenCalled();
  });

  it("gives a waiting reader what came before a failure, and then the failure", async () => {
    const { push, fail, reader } = arriving();
    const first = reader.read();
    push(bytes("half"));
    fail(new Error("cut"));
    expect(textOf(await first)).toBe("half");
    await expect(reader.read()).rejects.toThrow("cut");
  });

  it("ends for a reader who waits", async () => {
    const { end, reader } = arriving();
    const first = reader.read();
    end();
    expect(await first).toMatchObject({ done: true });
  });
});
