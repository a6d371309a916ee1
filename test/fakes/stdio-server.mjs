// A raw server over stdio for tests: it does what each line tells it, so that a test sees every byte.
import process from "node:process";
import { createInterface } from "node:readline";

const say = (text) => process.stdout.write(text);
if (process.argv[2] === "dies") process.exit(7);
process.on("SIGTERM", () => {
  if (process.argv[2] === "stays") return say("stays\n");
  process.removeAllListeners("SIGTERM");
  return process.kill(process.pid, "SIGTERM");
});
process.stderr.write(
  `started with ${Object.keys(process.env).filter((name) => name.startsWith("SAMPLING_ROUTER")).length} variables of the router\n`,
);
createInterface({ input: process.stdin })
  .on("line", (line) => {
    // What a test wants to be written stands after the word.
    if (line.startsWith("write ")) say(JSON.parse(line.slice(6)));
    else if (line.startsWith("exit ")) process.exit(Number(line.slice(5)));
    else say(`got ${line}\n`);
  })
  .on("close", () => {
    say("closed without an end");
  });
