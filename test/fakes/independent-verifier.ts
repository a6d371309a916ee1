/** A verifier of exports written from `docs/audit-format.md` alone. It imports nothing of the router. */
import { createHash, createPublicKey, verify } from "node:crypto";

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
// oxlint-disable-next-line no-explicit-any -- JSON from outside; the shapes below say what is there
type Line = Record<string, any>;

export type Verdict = "written" | "tampered" | "changed";

const sha = (...parts: (string | Buffer)[]): Buffer => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};
const canonical = (value: Json): string => {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const names = Object.keys(value).toSorted();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name] as Json)}`).join(",")}}`;
};
const hexOf = (value: Json): string => sha(canonical(value)).toString("hex");
const leafOf = (value: Json): Buffer => sha(Buffer.from([0]), canonical(value));
const rootOf = (leaves: readonly Buffer[]): Buffer => {
  if (leaves.length === 0) return sha("");
  if (leaves.length === 1) return leaves[0] as Buffer;
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return sha(Buffer.from([1]), rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split)));
};
const bytesOf = (text: unknown): Buffer | null => {
  const bytes = Buffer.from(String(text), "base64url");
  return bytes.toString("base64url") === text ? bytes : null;
};

class Changed extends Error {}
function must(condition: unknown): asserts condition {
  if (!condition) throw new Changed();
}

// A name with `?` may be absent. n: number, s: string, b: boolean, o: object, a: list; +0: or null.
const shapes: Record<string, Record<string, string>> = {
  header: {
    kind: "s",
    version: "n",
    tenant: "o",
    filter: "o",
    after: "n",
    through: "n",
    whole: "b",
    exportedAt: "n",
    keys: "a",
    keyId: "s",
    signature: "s",
  },
  section: {
    kind: "s",
    export: "s",
    index: "n",
    seal: "o",
    "checked?": "o",
    leaves: "s",
    records: "a",
    "deletions?": "a",
    signature: "s",
  },
  record: { kind: "s", seal: "n", position: "n", record: "o" },
  footer: {
    kind: "s",
    export: "s",
    tenantId: "s",
    filter: "o",
    sections: "n",
    count: "n",
    root: "s",
    last: "s+0",
    nextCursor: "s+0",
    waiting: "n",
    "unreadable?": "n",
    signature: "s",
  },
  seal: {
    version: "n",
    tenantId: "s",
    number: "n",
    previous: "s",
    root: "s",
    count: "n",
    firstCreatedAt: "n",
    lastCreatedAt: "n",
    sealedAt: "n",
    keyId: "s",
    signature: "s",
  },
  deletion: {
    version: "n",
    tenantId: "s",
    seal: "n",
    statement: "s",
    positions: "a",
    reason: "s",
    createdBefore: "n+0",
    at: "n",
    keyId: "s",
    signature: "s",
  },
};
const typeOf = (value: unknown): string =>
  value === null ? "0" : Array.isArray(value) ? "a" : (typeof value).charAt(0);
function shaped(name: string, value: Line): void {
  const shape = shapes[name] as Record<string, string>;
  for (const [member, kinds] of Object.entries(shape)) {
    const bare = member.replace("?", "");
    if (value[bare] === undefined) must(member.endsWith("?"));
    else must(kinds.split("+").includes(typeOf(value[bare])));
  }
  for (const member of Object.keys(value)) must(member in shape || `${member}?` in shape);
}

/** @param keys ids and raw public keys in base64url, as they were fetched */
export function verifyExport(
  file: Uint8Array,
  keys: readonly { id: string; publicKey: string }[],
): Verdict {
  try {
    return checked(file, keys);
  } catch (cause) {
    if (cause instanceof Changed) return "changed";
    throw cause;
  }
}

function checked(file: Uint8Array, keys: readonly { id: string; publicKey: string }[]): Verdict {
  const isSigned = (kind: string, keyId: string, { signature, ...value }: Line): boolean => {
    const key = keys.find(({ id }) => id === keyId);
    const bytes = bytesOf(signature);
    if (key === undefined || bytes === null) return false;
    const jwk = { kty: "OKP", crv: "Ed25519", x: key.publicKey };
    const text = Buffer.from(`sampling-router/${kind}/v1\n${canonical(value as Json)}`);
    return verify(null, text, createPublicKey({ key: jwk, format: "jwk" }), bytes);
  };
  const bytes = Buffer.from(file);
  must(bytes.length > 0 && bytes.at(-1) === 10);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Changed();
  }
  const raw = text.slice(0, -1).split("\n");
  const lines = raw.map((line): Line => {
    let value: Json;
    try {
      value = JSON.parse(line) as Json;
    } catch {
      throw new Changed();
    }
    must(typeof value === "object" && value !== null && !Array.isArray(value));
    must(
      canonical(value) === line &&
        typeof value["kind"] === "string" &&
        Object.hasOwn(shapes, value["kind"]),
    );
    shaped(value["kind"], value);
    return value;
  });
  const header = lines[0] as Line;
  must(header["kind"] === "header" && header["version"] === 1 && header["after"] === 0);
  must(isSigned("header", header["keyId"], header));
  const { filter } = header;
  must(header["whole"] === Object.keys(filter).every((name) => name === "from" || name === "to"));
  const ofHeader = sha(raw[0] as string).toString("hex");
  const passes = (record: Line): boolean =>
    record["createdAt"] >= (filter.from ?? -Infinity) &&
    record["createdAt"] < (filter.to ?? Infinity) &&
    (filter.outcome === undefined || filter.outcome.split(",").includes(record["outcome"])) &&
    [
      [filter.model, record["model"]],
      [filter.key, record["who"].keyId],
      [filter.user, record["who"].user],
      [filter.server, record["who"].serverId],
      [filter.session, record["who"].sessionId],
    ].every(([asked, found]) => asked === undefined || asked === found);
  let before: Line | null = null;
  let sections = 0;
  let isTampered = false;
  const present: Buffer[] = [];
  let at = 1;
  for (; lines[at]?.["kind"] === "section"; sections += 1) {
    const section = lines[at] as Line;
    at += 1;
    must(section["export"] === ofHeader && section["index"] === sections);
    must(isSigned("section", header["keyId"], section));
    const { seal, records } = section;
    shaped("seal", seal);
    must(isSigned("seal", seal.keyId, seal) && seal.tenantId === header["tenant"].id);
    const { signature: _, ...statement } = seal;
    const first = filter.from === undefined && filter.to === undefined;
    if (before === null) must(!header["whole"] || !first || seal.number === 1);
    else
      must(
        seal.number > before["number"] &&
          (!header["whole"] || seal.number === before["number"] + 1),
      );
    if (before === null && seal.number === 1) must(seal.previous === "0".repeat(64));
    if (before !== null && seal.number === before["number"] + 1)
      must(seal.previous === hexOf(before));
    before = statement as Line;
    const packed = bytesOf(section["leaves"]);
    must(packed !== null && packed.length === 32 * seal.count && records.length === seal.count);
    const leaves = Array.from({ length: seal.count }, (__, n) =>
      packed.subarray(32 * n, 32 * n + 32),
    );
    must(leafOf(section["checked"]).toString("hex") === seal.root);
    must(section["checked"].tree === rootOf(leaves).toString("hex"));
    if (section["checked"].tampered.length > 0) isTampered = true;
    const within =
      seal.firstCreatedAt >= (filter.from ?? -Infinity) &&
      seal.lastCreatedAt < (filter.to ?? Infinity);
    const ofStatement = hexOf(statement as Json);
    const notices = ((section["deletions"] ?? []) as Line[]).filter((notice) => {
      shaped("deletion", notice);
      return (
        isSigned("deletion", notice["keyId"], notice) &&
        notice["tenantId"] === seal.tenantId &&
        notice["seal"] === seal.number &&
        notice["statement"] === ofStatement &&
        (notice["reason"] !== "retention" || notice["createdBefore"] > seal.firstCreatedAt)
      );
    });
    for (const [position, presence] of (records as string[]).entries()) {
      must(presence !== "unreadable" && !(presence === "outside" && header["whole"] && within));
      if (presence === "gone") {
        const isNamed = notices.some(({ positions }) =>
          positions.some(([from, to]: [number, number]) => from <= position && position <= to),
        );
        if (!isNamed) isTampered = true;
      } else if (presence !== "outside") {
        const line = lines[at];
        at += 1;
        must(
          line?.["kind"] === "record" &&
            line["seal"] === seal.number &&
            line["position"] === position,
        );
        must(
          line["record"].id === presence &&
            leafOf(line["record"]).equals(leaves[position] as Buffer),
        );
        must(passes(line["record"]));
        present.push(leaves[position] as Buffer);
      }
    }
  }
  const footer = lines[at];
  must(footer?.["kind"] === "footer" && at === lines.length - 1);
  must(isSigned("footer", header["keyId"], footer) && footer["export"] === ofHeader);
  must(footer["sections"] === sections && footer["count"] === present.length);
  must(footer["root"] === rootOf(present).toString("hex"));
  must(footer["last"] === (before === null ? null : hexOf(before)));
  must((footer["unreadable"] ?? 0) === 0 && footer["nextCursor"] === null);
  if (header["whole"] && filter.from === undefined && filter.to === undefined)
    must((before?.["number"] ?? 0) === header["through"]);
  return isTampered ? "tampered" : "written";
}
