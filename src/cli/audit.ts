/**
 * `npm run audit -- verify <file or directory>… [--key <audit-keys.json>] [--tenant <slug or id>] [--head <file
 * or tenant:number:hash>] [--part] [--sink]`: verifies an export offline. Several files are parts of one
 * export, in order. With `--sink` each is an object of an audit sink, in files or at
 * `s3://<bucket>/<prefix>/<tenant id>`.
 *
 * Exit codes: 0 untouched and signed by a given key; 1 not, or of another tenant; 2 not verifiable; 3
 * consistent, but no key was given, so the author may have signed it; 4 untouched, and the router itself
 * reports tampering.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { z } from "zod";
import { hashing } from "../crypto/chain.ts";
import { idOfPublicKey, verifySignature } from "../crypto/signatures.ts";
import { csvColumns } from "../domain/audit/csv.ts";
import type { AuditKey } from "../domain/audit/seals.ts";
import { createVerification, type Verification } from "../domain/audit/verification.ts";
import { commandLine } from "../start/called.ts";
import { readHeads } from "./audit-heads.ts";
import { describeCounts, describeHead, describeVerdict, exitCodeOf } from "./audit-findings.ts";
import { describeScope, describeTampering } from "./audit-scope.ts";
import { sourcesOf, type ExportSource } from "./export-files.ts";
import { readFault } from "./read-fault.ts";
import { isStorePath } from "./sink-objects.ts";
import { answerHelp } from "./usage.ts";
import { say, sayFault } from "./output.ts";

const options =
  "<file, directory or s3://...>... [--key <audit-keys.json>] [--tenant <slug or id>] [--head <file or tenant:number:hash>] [--part] [--sink]";
const usage = `usage: ${commandLine("audit", `verify ${options}`)}
Verifies an export of audit records and shows what it covers, without a router or database.
--sink: the files are objects of an audit sink, each an export that begins where the one before ended. They are read
from a folder, or from s3://<bucket>/<prefix>/<tenant id> with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and
AWS_ENDPOINT_URL of the environment. The store is not trusted: get --key and --head from elsewhere.`;
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

/** Throws an error for people. */
async function readKeys(path: string): Promise<AuditKey[]> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw readFault(`--key: ${path}`, cause);
  }
  let keys: AuditKey[];
  try {
    keys = keyFile.parse(JSON.parse(text));
  } catch {
    throw new Error(
      `--key: ${path} is not a JWK set of Ed25519 keys: fetch /.well-known/sampling-router/audit-keys.json from the router again`,
    );
  }
  for (const { id, publicKey } of keys)
    if ((await idOfPublicKey(publicKey)) !== id)
      throw new Error(`--key: ${path} has a key with a wrong kid, ${id.slice(0, 64)}`);
  return keys;
}

/** CSV has no seals. Columns are only appended, so the first ones identify any version. */
async function refuseCsv({ name, lines }: ExportSource): Promise<void> {
  const first = await lines().next();
  const begin = csvColumns.slice(0, 5).join(",");
  if (first.done === true || !first.value.text.startsWith(`${begin},`)) return;
  throw new Error(
    `${name} is CSV, which has no seals. Export as NDJSON: request …/requests/export without format=csv.`,
  );
}

/** Prints the first lines and the number of others. */
function sayFirst(lines: readonly string[]): void {
  for (const line of lines.slice(0, findingsShown)) say(line);
  if (lines.length > findingsShown) say(`and ${lines.length - findingsShown} more`);
}

async function readExport(
  verification: Verification,
  { sources, isPart }: { sources: readonly ExportSource[]; isPart: boolean },
): Promise<number> {
  let wrong = 0;
  for (const { name, lines } of sources) {
    for await (const line of lines()) await verification.line(line);
    for (const { line, text } of await verification.endOfFile()) {
      wrong += 1;
      if (wrong <= findingsShown) say(`${name}: line ${line}: ${text}`);
    }
  }
  if (wrong > findingsShown) say(`and ${wrong - findingsShown} more`);
  const { nextCursor } = verification.total();
  if (nextCursor === null || isPart) return wrong;
  say(`The end is missing: the export continues at cursor ${nextCursor}.`);
  return wrong + 1;
}

async function verify(
  paths: readonly string[],
  wanted: {
    keyPath: string | undefined;
    tenant: string | undefined;
    head: string | undefined;
    part: boolean;
    sink: boolean;
  },
): Promise<number> {
  const { keyPath } = wanted;
  const pinned = keyPath === undefined ? null : await readKeys(keyPath);
  const sources = await sourcesOf(paths, process.env);
  // Sink objects are read once; CSV would fail verification.
  for (const source of sources) if (!isStorePath(source.name)) await refuseCsv(source);
  if (sources.length === 0)
    throw new Error(`no file was read: ${paths.join(", ")} has no *.ndjson`);
  const verification = createVerification({
    hashing,
    verify: verifySignature,
    pinned,
    files: wanted.sink || paths.some(isStorePath) ? "sink" : "parts",
    wantedTenant: wanted.tenant ?? null,
    wantedHeads: wanted.head === undefined ? null : readHeads(wanted.head),
  });
  const wrong = await readExport(verification, { sources, isPart: wanted.part });
  const total = verification.total();
  for (const line of describeScope(total)) say(line);
  say(describeCounts(total));
  const head = verification.head();
  for (const line of describeHead(head)) say(line);
  const tampering = describeTampering(total);
  sayFirst(tampering);
  const findings = {
    wrong: head.state === "wrong" ? wrong + 1 : wrong,
    isTampered: tampering.length > 0,
    isPinned: pinned !== null,
    isHeadUnchecked: head.state === "unchecked",
  };
  for (const line of describeVerdict(findings)) say(line);
  return exitCodeOf(findings);
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
      sink: { type: "boolean", default: false },
    },
  });
  const [command, ...paths] = positionals;
  if (command !== "verify" || paths.length === 0) throw new Error(usage);
  const { key: keyPath, tenant, head, part, sink } = values;
  return verify(paths, { keyPath, tenant, head, part, sink });
}

answerHelp(usage);
try {
  process.exitCode = await run(process.argv.slice(2));
} catch (cause) {
  const fault = String(cause).replace(/^TypeError \[ERR_PARSE_ARGS\w*\]: (.*)$/s, `$1\n${usage}`);
  sayFault(fault.replace(/^Error: /, ""));
  process.exitCode = 2;
}
