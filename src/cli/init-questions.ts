/** Interactive questions of `init`. Keys are not echoed. */
import { createInterface } from "node:readline";
import { Writable } from "node:stream";

export interface Asker {
  /** @returns the default for an empty line, `null` at the end of the input */
  ask(question: string, otherwise?: string): Promise<string | null>;
  askSecret(question: string): Promise<string | null>;
  askWhether(question: string): Promise<boolean>;
  close(): void;
}

export function createAsker(input: NodeJS.ReadStream, output: NodeJS.WriteStream): Asker {
  let isHidden = false;
  const shown = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!isHidden) output.write(chunk);
      done();
    },
  });
  const reader = createInterface({ input, output: shown, terminal: input.isTTY });
  // `question` would lose lines that arrive early.
  const lines = reader[Symbol.asyncIterator]();
  const next = async (prompt: string): Promise<string | null> => {
    output.write(prompt);
    const { value, done } = await lines.next();
    return done === true ? null : value.trim();
  };
  const ask = async (question: string, otherwise = ""): Promise<string | null> => {
    const typed = await next(`${question}${otherwise === "" ? "" : ` [${otherwise}]`}: `);
    return typed === "" ? otherwise : typed;
  };
  return {
    ask,
    async askSecret(question) {
      isHidden = true;
      const typed = await next(`${question} (not shown): `);
      isHidden = false;
      output.write("\n");
      return typed;
    },
    async askWhether(question) {
      return /^y(es)?$/i.test((await ask(`${question} [y/N]`)) ?? "");
    },
    close: () => reader.close(),
  };
}
