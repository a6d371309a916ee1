// What each API key spent: sums the records of an audit export (NDJSON).
//
//   node examples/spent-by-key.mjs KEYS EXPORT…     KEYS: the answer of GET …/keys, for the keys' names
//
// Check the export first, with `npm run audit -- verify`: this script trusts what it reads.
import { readFileSync } from "node:fs";

const [keys, ...parts] = process.argv.slice(2);
if (keys === undefined || parts.length === 0) {
  console.error("usage: node examples/spent-by-key.mjs KEYS EXPORT…");
  process.exit(2);
}
const names = new Map(
  JSON.parse(readFileSync(keys, "utf8")).data.map(({ id, name }) => [id, name]),
);
const lines = parts.flatMap((path) => readFileSync(path, "utf8").split("\n"));

const spent = new Map();
for (const line of lines.filter((line) => line !== "")) {
  const { kind, record } = JSON.parse(line);
  if (kind !== "record" || record === undefined) continue;
  const sum = spent.get(record.who.keyId) ?? { records: 0, microUsd: 0 };
  sum.records += 1;
  // An operator's correction stands beside the figure that it corrects.
  sum.microUsd += record.correction?.costMicroUsd ?? record.costMicroUsd ?? 0;
  spent.set(record.who.keyId, sum);
}
for (const [id, { records, microUsd }] of spent)
  console.log(`${names.get(id) ?? id}: ${microUsd / 1e6} USD in ${records} records`);
