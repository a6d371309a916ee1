/** Entity tags for optimistic locking (RFC 9110, sections 8.8.3 and 13.1.1). */
import type { IfMatch } from "../../pipeline/admin/access/editing.ts";

type Sha256Hex = (bytes: Uint8Array<ArrayBuffer>) => Promise<string>;

export const entityTagOf = async (shown: unknown, sha256Hex: Sha256Hex): Promise<string> =>
  `"${(await sha256Hex(new TextEncoder().encode(JSON.stringify(shown)))).slice(0, 32)}"`;

/** @param header `If-Match`; weak tags never match */
export function ifMatchOf(header: string | undefined, sha256Hex: Sha256Hex): IfMatch {
  if (header === undefined || header.trim() === "*") return null;
  const tags = new Set(header.split(",").map((tag) => tag.trim()));
  return async (shown) => tags.has(await entityTagOf(shown, sha256Hex));
}
