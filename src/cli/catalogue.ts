/** `npm run catalogue -- sync|show [--url https://router.example]` */
import { runCatalogue, usage } from "./catalogue-command.ts";
import { answerHelp } from "./usage.ts";
import { say, sayFault } from "./output.ts";

answerHelp(usage);
const done = await runCatalogue(process.argv.slice(2), { env: process.env, fetch });
if (done.ok) done.value.forEach(say);
else {
  sayFault(done.error);
  process.exitCode = 1;
}
