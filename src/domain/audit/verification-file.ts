import { canonicalJson } from "../canonical.ts";
import { cursorText, isStretch, type FooterLine, type HeaderLine } from "./exports.ts";

export interface EndedFile {
  header: HeaderLine;
  footer: FooterLine;
}

export interface Wanted {
  tenant: string | null;
  /** `sink`: consecutive exports; `parts`: parts of one export */
  files: "parts" | "sink";
}

/** `curl` may have saved a refusal instead of an export. */
export function firstLineFault(text: string): string {
  const [, reason] = /"type":"urn:sampling-router:refusal:(\w+)"/.exec(text) ?? [];
  return reason === undefined
    ? "the header is missing or was changed"
    : `this is not an export, but the router's refusal of one (${reason}): export it again`;
}

const scopeText = ({ tenant, filter }: HeaderLine): string => canonicalJson({ tenant, filter });

function placeFault(
  header: HeaderLine,
  before: EndedFile | null,
  files: Wanted["files"],
): string | null {
  if (before === null)
    return header.after > 0
      ? `the parts before it are missing: it begins after seal ${header.after}`
      : null;
  if (scopeText(before.header) !== scopeText(header)) return "is a part of another export";
  if (files === "sink")
    return header.after === before.header.through
      ? null
      : `does not follow seal ${before.header.through}`;
  const { nextCursor } = before.footer;
  return nextCursor === cursorText(header)
    ? null
    : `does not continue the part before it (${nextCursor ?? "which was the last"})`;
}

export function headerFaults(
  header: HeaderLine,
  before: EndedFile | null,
  wanted: Wanted,
): string[] {
  const { tenant } = header;
  const isWanted = wanted.tenant === null || [tenant.id, tenant.slug].includes(wanted.tenant);
  const place = placeFault(header, before, wanted.files);
  return [
    ...(isWanted ? [] : ["is the export of another tenant than the one that was asked for"]),
    ...(header.whole === isStretch(header.filter) ? [] : ["the header contradicts itself"]),
    ...(place === null ? [] : [place]),
  ];
}
