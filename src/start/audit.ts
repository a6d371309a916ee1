/**
 * `npm run audit -- verify <file or directory>… [--key <audit-keys.json>] [--tenant <slug or id>] [--part]`:
 * checks an export offline, and says what it covers. Several files are parts of one export, in their order.
 *
 * Ends with 0: untouched, and signed by a key of that file. 1: not, or
 * of another tenant than `--tenant`. 2: it could not be checked, or there is no file. 3: nothing
 * contradicts itself, but no key was given, so whoever wrote the export may have signed it too.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { z } from "zod";
import { hashing } from "../crypto/chain.ts";
import { verifySignature } from "../crypto/signatures.ts";
import type { AuditKey } from "../domain/seals.ts";
import { createVerification } from "../domain/verification.ts";
import { describeScope } from "./audit-scope.ts";
import { filesOf, readLines } from "./export-files.ts";

const usage =
  "usage: npm run audit -- verify <file or directory>... [--key <audit-keys.json>] [--tenant <slug or id>] [--part]";
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

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** The exit code. */
async function verify(
  paths: readonly string[],
  about: { keyPath: string | undefined; tenant: string | undefined; part: boolean },
): Promise<number> {
  const { keyPath } = about;
  const pinned =
    keyPath === undefined ? null : keyFile.parse(JSON.parse(readFileSync(keyPath, "utf8")));
  const files = await filesOf(paths);
  if (files.length === 0) throw new Error(`no file was read: ${paths.join(", ")} has no *.ndjson`);
  const verification = createVerification({
    hashing,
    verify: verifySignature,
    pinned,
    wantedTenant: about.tenant ?? null,
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
  if (wrong > findingsShown) say(`and ${wrong - findingsShown} more`);
  if (nextCursor !== null && !about.part) {
    say(`The end is missing: the export goes on at cursor ${nextCursor}.`);
    wrong += 1;
  }
  const more = [
    ...(gone > 0 ? [`${gone} deleted or corrected since, their hashes are here`] : []),
    ...(unreadable > 0 ? [`${unreadable} could not be read by the router`] : []),
    ...(outside > 0 ? [`${outside} left out by the filter`] : []),
  ];
  for (const line of describeScope(total)) say(line);
  say(`${records} records, ${seals} seals${more.map((each) => `; ${each}`).join("")}.`);
  if (wrong > 0) say("NOT as the router wrote it.");
  else say(pinned === null ? "Nothing contradicts itself." : "As the router wrote it.");
  if (pinned === null)
    say(
      "key not pinned: compare with /.well-known/sampling-router/audit-keys.json, by --key <file>.",
    );
  if (wrong > 0) return 1;
  return pinned === null ? 3 : 0;
}

async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      key: { type: "string" },
      tenant: { type: "string" },
      part: { type: "boolean", default: false },
    },
  });
  const [command, ...paths] = positionals;
  if (command !== "verify" || paths.length === 0) throw new Error(usage);
  return verify(paths, { keyPath: values.key, tenant: values.tenant, part: values.part });
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (cause) {
  const fault =
    cause instanceof z.ZodError ? "the key file is no JWK set of Ed25519 keys" : String(cause);
  process.stderr.write(`sampling-router: ${fault.replace(/^Error: /, "")}\n`);
  process.exitCode = 2;
}
