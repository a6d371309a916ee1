/** Licenses of bundled packages, which require them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const licenceFile = /^(licen[cs]e|notice|copying)/i;
const packageIn = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)/;

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  ) as { name: string; version: string; license?: string };
  const texts = readdirSync(folder)
    .filter((each) => licenceFile.test(each))
    .toSorted()
    .map((each) => readFileSync(join(folder, each), "utf8").trim());
  return [`${name} ${version} (${license ?? "see below"})`, ...texts].join("\n\n");
}

export function noticesOf(checkout: string, inputs: readonly string[]): string {
  const folders = new Set(inputs.flatMap((path) => packageIn.exec(path)?.[1] ?? []));
  const notices = [...folders].toSorted().map((folder) => noticeOf(join(checkout, folder)));
  return `This package contains code of these packages.\n\n${notices.join(`\n\n${"-".repeat(72)}\n\n`)}\n`;
}
