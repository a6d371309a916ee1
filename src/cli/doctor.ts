/**
 * `npm run doctor`: checks an installation, also while a router runs, and recommends fixes. Exit code 1 on
 * errors. Read-only, and prints no secret.
 */
import { printableJson } from "../domain/printable.ts";
import { parseSettings } from "../start/settings.ts";
import { commandLine } from "../start/called.ts";
import { databasesOf } from "./doctor/database.ts";
import { exposureOf } from "./doctor/exposure.ts";
import { faulty, linesOf, type Finding } from "./doctor/finding.ts";
import { proxiesOf, reachesOf } from "./doctor/reach.ts";
import { runningOf, runningPort } from "./doctor/running.ts";
import { permissionsOf, roomOf, secretsOf } from "./doctor/state.ts";
import { say, sayFault } from "./output.ts";
import { answerHelp } from "./usage.ts";

const usage = `usage: ${commandLine("doctor", "[--json]")}
Checks settings, secrets, permissions, databases, migrations, clock, providers, schedule and exposure, and recommends fixes. A running router is not interrupted. Exits with 1 on errors. --json: machine-readable.`;

async function examine(): Promise<Finding[]> {
  const settings = parseSettings(process.env);
  if (!settings.ok)
    return [faulty("settings", settings.error, "Fix it in the environment or in .env.")];
  const found = [
    ...permissionsOf(settings.value, process.cwd()),
    ...secretsOf(settings.value),
    ...roomOf(settings.value),
    ...(await runningOf(settings.value)),
  ];
  for await (const finding of databasesOf(settings.value)) found.push(finding);
  return [
    ...found,
    ...proxiesOf(settings.value.proxies),
    ...(await reachesOf(settings.value)),
    ...exposureOf(
      { ...settings.value, port: runningPort(settings.value) ?? settings.value.port },
      process.env,
    ),
  ];
}

answerHelp(usage);
const [given, ...more] = process.argv.slice(2);
if (more.length > 0 || (given !== undefined && given !== "--json")) {
  sayFault(usage);
  process.exitCode = 1;
} else {
  const findings = await examine();
  const isSound = findings.every(({ level }) => level !== "fault");
  if (given === "--json") process.stdout.write(`${printableJson({ ok: isSound, findings })}\n`);
  else linesOf(findings).forEach(say);
  process.exitCode = isSound ? 0 : 1;
}
