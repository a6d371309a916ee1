/**
 * Leaves out of the output what the Workers runtime says of requests that fail because a test wants it: a hundred
 * lines of the runtime's own stacks. vitest's plugin writes them, and has no setting for it.
 */
import process from "node:process";

/** A refused connection, an unknown name, and a body that nobody reads any more. */
const wanted =
  /Network connection lost|Connection refused|failed to lookup address information|read end of pipe was aborted|Error: internal error; reference/;

export default function setup(): () => void {
  const streams = [process.stdout, process.stderr];
  const writes = streams.map((stream) => stream.write);
  for (const [at, stream] of streams.entries())
    stream.write = ((...args: Parameters<typeof stream.write>) =>
      wanted.test(String(args[0])) ||
      Reflect.apply(writes[at] as Function, stream, args)) as typeof stream.write;
  return () => {
    for (const [at, stream] of streams.entries()) stream.write = writes[at] as typeof stream.write;
  };
}
