/** `npm run db:migrate`: brings the databases at DATABASE_URL and DATABASE_URLS up to date. */
import { commandLine } from "../start/called.ts";
import { checkout, parseSettings } from "../start/settings.ts";
import { migrateAll, readMigrations } from "../start/migrations.ts";
import { answerHelp } from "./usage.ts";

const usage = `usage: ${commandLine("db:migrate")}
Brings the databases at DATABASE_URL and DATABASE_URLS up to date. Running routers go on.`;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function run(): Promise<string | null> {
  const settings = parseSettings(process.env);
  if (!settings.ok) return settings.error;
  const { databases, embedded } = settings.value;
  if (databases.length === 0)
    return "DATABASE_URL is missing; other databases are brought up to date when they are used";
  const applied = await migrateAll(databases, readMigrations(checkout));
  if (!applied.ok) return applied.error;
  const several = databases.length > 1 || embedded;
  for (const { shard, name } of applied.value)
    say(several ? `Applied ${name} to ${shard}` : `Applied ${name}`);
  if (applied.value.length === 0)
    say(
      several
        ? `Nothing to apply: ${databases.map(({ name }) => name).join(", ")} are up to date.`
        : "Nothing to apply: the database is up to date.",
    );
  return null;
}

answerHelp(usage);
const fault = await run();
if (fault !== null) {
  process.stderr.write(`sampling-router: ${fault}\n`);
  process.exitCode = 1;
}
