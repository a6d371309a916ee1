/**
 * An upgrade and its way back, under load: to the version of the checkout's last commit, with one more migration that is made
 * up here. On a libSQL server the version of before runs on while the new one migrates the
 * database, and comes back beside it. A file has one owner: the old version ends, the new one runs, the old one comes back.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEnding, type Ending } from "../../src/start/ending.ts";
import { reconciled, recordsOf } from "./sums.ts";
import { call, questionOf, startWorld, wait, type Say, type SoakRouter } from "./world.ts";

const checkout = join(import.meta.dirname, "..", "..");
const callers = 4;
const git = (...args: string[]): string =>
  execFileSync("git", ["-C", checkout, ...args], { encoding: "utf8" }).trim();

/** A work tree of that version, with the packages of this one. */
function checkoutOf(ref: string, ending: Ending): string {
  const folder = mkdtempSync(join(tmpdir(), "sampling-router-old-"));
  const tree = join(folder, "tree");
  git("worktree", "add", "--detach", tree, ref);
  ending.add(() => {
    git("worktree", "remove", "--force", tree);
    rmSync(folder, { recursive: true, force: true });
  });
  symlinkSync(join(checkout, "node_modules"), join(tree, "node_modules"));
  return tree;
}

/** What a later version may add: a column and a table that this version doesn't know. */
function addMigration(tree: string): void {
  const sql = `ALTER TABLE \`tenants\` ADD \`later\` text;--> statement-breakpoint
CREATE TABLE \`later\` (\`id\` text PRIMARY KEY NOT NULL);
`;
  const name = "0001_made_up.sql";
  writeFileSync(join(tree, "migrations", name), sql);
  const file = join(tree, "migrations", "meta", "hashes.json");
  const hashes = JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
  hashes[name] = createHash("sha256").update(sql).digest("hex");
  writeFileSync(file, JSON.stringify(hashes));
}

interface Load {
  /** Ends it, and tells how many calls were answered, and each other outcome once. */
  end(): Promise<{ answered: number; others: string[] }>;
}

export async function soakUpgrade(
  about: { ref: string; database: "sqld" | "embedded"; seconds: number },
  say: Say,
): Promise<string[]> {
  const { database } = about;
  const ending = createEnding();
  try {
    const old = checkoutOf(about.ref, ending);
    const later = checkoutOf("HEAD", ending);
    addMigration(later);
    const count = (folder: string): number =>
      readdirSync(join(folder, "migrations")).filter((name) => name.endsWith(".sql")).length;
    say(
      `${git("rev-parse", "--short", about.ref)} has ${count(old)} migrations, the one after it ${count(later)}`,
    );
    const world = await startWorld(ending, { database, routers: 1, scheduleSeconds: 2, from: old });
    world.provider.take(5, 100);
    const [first] = world.routers;
    if (first === undefined) throw new Error("no router");
    const tenant = await world.tenant("soak-upgrade", {
      policy: { limits: { usdPerDay: 10_000, tokensPerMinute: 100_000_000 } },
    });
    const faults: string[] = [];
    let next = 0;
    let answered = 0;

    const loadOn = (router: SoakRouter): Load => {
      const state = { over: false, answered: 0, others: new Set<string>() };
      const work = Array.from({ length: callers }, async () => {
        while (!state.over) {
          const number = (next += 1);
          const called = await call(router, tenant.key, {
            number,
            params: questionOf(number),
          }).catch((cause: unknown) => ({ succeeded: false, reason: String(cause) }));
          if (called.succeeded) state.answered += 1;
          else state.others.add(called.reason ?? "no answer");
        }
      });
      return {
        async end() {
          state.over = true;
          await Promise.all(work);
          return { answered: state.answered, others: [...state.others] };
        },
      };
    };
    const during = async (what: string, routers: readonly SoakRouter[]): Promise<void> => {
      const loads = routers.map(loadOn);
      await wait(about.seconds * 1_000);
      await close(what, loads);
    };
    const close = async (what: string, loads: readonly Load[]): Promise<void> => {
      const ended = await Promise.all(loads.map((load) => load.end()));
      answered += ended.reduce((sum, each) => sum + each.answered, 0);
      const others = ended.flatMap((each) => each.others);
      say(`${what}: ${ended.map((each) => each.answered).join(" and ")} answered`);
      if (others.length > 0) faults.push(`${what}: ${others.join(", ")}`);
      if (ended.some((each) => each.answered === 0)) faults.push(`${what}: one answered nothing`);
    };
    /** A router starts while the others are under load. */
    const startBeside = async (what: string, running: readonly SoakRouter[], from?: string) => {
      const loads = running.map(loadOn);
      const started = await world.another(from ?? later);
      await close(what, loads);
      return started;
    };

    await during("the version of before", [first]);
    if (database === "sqld") {
      const newer = await startBeside("the version of before, while this one migrates", [first]);
      await during("both versions", [first, newer]);
      await first.stop?.();
      await during("this version", [newer]);
      const back = await startBeside("this version, while the one before starts", [newer], old);
      await during("both versions again", [newer, back]);
      await newer.stop?.();
      await during("the version of before again", [back]);
    } else {
      await first.stop?.();
      const newer = await world.another(later);
      await during("this version", [newer]);
      await newer.stop?.();
      const back = await world.another(old);
      await during("the version of before again", [back]);
    }
    const records = await recordsOf(world, tenant);
    const settled = records.filter(({ outcome }) => outcome === "succeeded").length;
    if (settled !== answered) faults.push(`${answered} answered, and ${settled} settled`);
    faults.push(...(await reconciled(world, tenant, { rates: false })));
    return faults;
  } finally {
    await ending.run();
  }
}
