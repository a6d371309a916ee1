/** `npm run catalogue -- sync|show [--url https://router.example]` */
import { runCatalogue, usage } from "./catalogue-command.ts";
import { answerHelp } from "./usage.ts";

answerHelp(usage);
const done = await runCatalogue(process.argv.slice(2), { env: process.env, fetch });
if (done.ok) process.stdout.write(`${done.value.join("\n")}\n`);
else {
  process.stderr.write(`sampling-router: ${done.error}\n`);
  process.exitCode = 1;
}
