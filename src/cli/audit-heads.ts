import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import type { ChainHead } from "../domain/audit/seals.ts";

const head = z.looseObject({
  tenant: z.string(),
  number: z.int().min(1),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
});
const headFile = z.union([
  z.looseObject({ heads: z.array(head) }).transform(({ heads }) => heads),
  z.array(head),
  head.transform((one) => [one]),
]);
const argument = /^(ten_\w+):(\d{1,15}):([0-9a-f]{64})$/;

/** The newest head of each tenant. `given`: a witness's file, or `<tenant id>:<number>:<hash>`. */
export function readHeads(given: string): ChainHead[] {
  const [, tenant, number, hash] = argument.exec(given) ?? [];
  if (tenant !== undefined && number !== undefined && hash !== undefined)
    return [{ tenant, number: Number(number), hash }];
  if (!existsSync(given))
    throw new Error(`--head: ${given} is neither a file nor <tenant id>:<number>:<hash>`);
  let parsed: unknown = null;
  try {
    parsed = JSON.parse(readFileSync(given, "utf8"));
  } catch {
    // Rejected below if it contains no heads.
  }
  const found = headFile.safeParse(parsed);
  if (!found.success) throw new Error(`--head: ${given} holds no heads`);
  const newest = new Map<string, ChainHead>();
  for (const each of found.data)
    if (each.number > (newest.get(each.tenant)?.number ?? 0)) newest.set(each.tenant, each);
  return [...newest.values()];
}
