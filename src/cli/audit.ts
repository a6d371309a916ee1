/**
 * `npm run audit -- verify <file or directory>… [--key <audit-keys.json>] [--tenant <slug or id>]
 * [--head <file or tenant:number:hash>] [--part]`: checks an export offline, and says what it covers. Several files are parts of one export, in their order.
 *
 * Ends with 0: untouched, and signed by a key of that file. 1: not, or
 * of another tenant than `--tenant`. 2: it could not be checked, or there is no file. 3: nothing
 * contradicts itself, but no key was given, so whoever wrote the export may have signed it too. 4: untouched,
 * and the router itself names records or seals that were tampered with in its database.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { z } from "zod";
import { hashing } from "../crypto/chain.ts";
import { verifySignature } from "../crypto/signatures.ts";
import { csvColumns } from "../domain/audit/csv.ts";
import type { AuditKey } from "../domain/audit/seals.ts";
import { createVerification } from "../domain/audit/verification.ts";
import { readHeads } from "./audit-heads.ts";
import { describeScope, describeTampering } from "./audit-scope.ts";
import { filesOf, readLines } from "./export-files.ts";
import { readFault } from "./read-fault.ts";
import { answerHelp } from "./usage.ts";

const usage = `usage: npm run audit -- verify <file or directory>... [--key <audit-keys.json>] [--tenant <slug or id>] [--head <file or tenant:number:hash>] [--part]
Checks an export of audit records, and says what it covers. It needs no router and no database.`;
const findingsShown = 100;

const jwk = z
  .looseObject({
    kty: z.literal("OKP"),
    crv: z.literal("Ed25519"),
    kid: z.string(),
    x: z.string(),
  })
  .transform(({ kid, x }): AuditKey => ({ id: kid, publicKey: x }));
const keyFile = z.union([
  z.looseObject({ keys: z.array(jwk) }).transform(({ keys }) => keys),
  jwk.transform((key) => [key]),
]);

/** Throws a sentence for a person. */
function readKeys(path: string): AuditKey[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw readFault(`--key: ${path}`, cause);
  }
  try {
    return keyFile.parse(JSON.parse(text));
  } catch {
    throw new Error(`--key: ${path} is no JWK set of Ed25519 keys`);
  }
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** A spreadsheet of the same records holds no seals: nothing in it could be checked. */
async function refuseCsv(file: string): Promise<void> {
  const first = await readLines(file).next();
  if (first.done === true || first.value.text.trimEnd() !== csvColumns.join(",")) return;
  throw new Error(
    `${file} is CSV, which holds no seals. Export as NDJSON: that is what …/requests/export answers without format=csv.`,
  );
}

/** The exit code. */
async function verify(
  paths: readonly string[],
  about: {
    keyPath: string | undefined;
    tenant: string | undefined;
    head: string | undefined;
    part: boolean;
  },
): Promise<number> {
  const { keyPath } = about;
  const pinned = keyPath === undefined ? null : readKeys(keyPath);
  const files = await filesOf(paths);
  for (const file of files) await refuseCsv(file);
  if (files.length === 0) throw new Error(`no file was read: ${paths.join(", ")} has no *.ndjson`);
  const verification = createVerification({
    hashing,
    verify: verifySignature,
    pinned,
    wantedTenant: about.tenant ?? null,
    wantedHeads: about.head === undefined ? null : readHeads(about.head),
  });
  let wrong = 0;
  for (const file of files) {
    for await (const line of readLines(file)) await verification.line(line);
    for (const { line, text } of await verification.endOfFile()) {
      wrong += 1;
      if (wrong <= findingsShown) say(`${file}: line ${line}: ${text}`);
    }
  }
  const total = verification.total();
  const { records, seals, gone, outside, unreadable, nextCursor } = total;
  const { unauthenticated, replaced } = total;
  if (wrong > findingsShown) say(`and ${wrong - findingsShown} more`);
  if (nextCursor !== null && !about.part) {
    say(`The end is missing: the export goes on at cursor ${nextCursor}.`);
    wrong += 1;
  }
  const more = [
    ...(gone > 0 ? [`${gone} deleted or corrected since, their hashes are here`] : []),
    ...(unreadable > 0 ? [`${unreadable} could not be read by the router`] : []),
    ...(outside > 0 ? [`${outside} left out by the filter`] : []),
    ...(replaced > 0 ? [`${replaced} sealed again, corrected or ended since`] : []),
    ...(unauthenticated > 0
      ? [`${unauthenticated} unauthenticated: no code vouches for them`]
      : []),
  ];
  for (const line of describeScope(total)) say(line);
  say(`${records} records, ${seals} seals${more.map((each) => `; ${each}`).join("")}.`);
  const head = verification.head();
  if (head.state === "wrong") wrong += 1;
  if (head.state === "wrong" || head.state === "unchecked") say(head.why);
  if (head.state === "sound") say(`The chain goes through the head, seal ${head.number}.`);
  const named = describeTampering(total);
  for (const line of named.slice(0, findingsShown)) say(line);
  if (named.length > findingsShown) say(`and ${named.length - findingsShown} more`);
  if (wrong > 0) say("NOT as the router wrote it.");
  else say(pinned === null ? "Nothing contradicts itself." : "As the router wrote it.");
  if (named.length > 0) say("The router found its database tampered with.");
  if (pinned === null)
    say(
      "key not pinned: compare with /.well-known/sampling-router/audit-keys.json, by --key <file>.",
    );
  if (wrong > 0) return 1;
  if (head.state === "unchecked") return 2;
  if (pinned === null) return 3;
  return named.length > 0 ? 4 : 0;
}

async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      key: { type: "string" },
      tenant: { type: "string" },
      head: { type: "string" },
      part: { type: "boolean", default: false },
    },
  });
  const [command, ...paths] = positionals;
  if (command !== "verify" || paths.length === 0) throw new Error(usage);
  const { key: keyPath, tenant, head, part } = values;
  return verify(paths, { keyPath, tenant, head, part });
}

answerHelp(usage);
try {
  process.exitCode = await run(process.argv.slice(2));
} catch (cause) {
  const fault = String(cause).replace(/^TypeError \[ERR_PARSE_ARGS\w*\]: (.*)$/s, `$1\n${usage}`);
  process.stderr.write(`sampling-router: ${fault.replace(/^Error: /, "")}\n`);
  process.exitCode = 2;
}
