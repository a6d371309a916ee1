/**
 * What a disk may hold after a loss of power: what was synced, and of what was written since then any part. Made
 * from the log of `test/fakes/disk.c`.
 */

export interface DiskEntry {
  kind: "write" | "truncate" | "sync";
  file: "database" | "log";
  offset: number;
  data: Buffer;
  /** where its entry in the log ends */
  end: number;
}

const headBytes = 24;
/** What a disk writes whole. */
const sectorBytes = 512;

export function readDiskLog(bytes: Buffer): DiskEntry[] {
  const entries: DiskEntry[] = [];
  for (let at = 0; at + headBytes <= bytes.length;) {
    const letter = String.fromCharCode(bytes[at] ?? 0);
    const kind = letter === "w" ? "write" : letter === "t" ? "truncate" : "sync";
    const length = kind === "write" ? Number(bytes.readBigUInt64LE(at + 16)) : 0;
    const end = at + headBytes + length;
    // The last one may be cut off with its process.
    if (end > bytes.length) break;
    entries.push({
      kind,
      file: bytes[at + 1] === "d".charCodeAt(0) ? "database" : "log",
      offset: Number(bytes.readBigUInt64LE(at + 8)),
      data: bytes.subarray(at + headBytes, end),
      end,
    });
    at = end;
  }
  return entries;
}

/** A file that grows as it is written. Its memory doubles, since a copy for each write takes most of a minute. */
function createFile(content: Buffer) {
  let memory = Buffer.from(content);
  let size = content.length;
  return {
    write(offset: number, data: Buffer): void {
      const end = offset + data.length;
      if (end > memory.length) {
        const longer = Buffer.alloc(2 * end);
        memory.copy(longer, 0, 0, size);
        memory = longer;
      }
      data.copy(memory, offset);
      size = Math.max(size, end);
    },
    truncate(length: number): void {
      // What lies behind the end reads as zeros once the file grows over it again.
      memory.fill(0, Math.min(length, size), size);
      if (length > memory.length) this.write(length, Buffer.alloc(0));
      size = length;
    },
    content: () => memory.subarray(0, size),
  };
}

function apply(file: ReturnType<typeof createFile>, { kind, offset, data }: DiskEntry): void {
  if (kind === "write") file.write(offset, data);
  if (kind === "truncate") file.truncate(offset);
}

/** Half of the writes are lost, and some of the others are torn. */
function applySome(
  file: ReturnType<typeof createFile>,
  entry: DiskEntry,
  random: () => number,
): void {
  if (random() < 0.5) return;
  const sectors = Math.ceil(entry.data.length / sectorBytes);
  const isTorn = entry.kind === "write" && sectors > 1 && random() < 0.3;
  const kept = isTorn ? Math.floor(random() * sectors) * sectorBytes : entry.data.length;
  apply(file, { ...entry, data: entry.data.subarray(0, kept) });
}

/** Both files as the disk may hold them when the power goes at that length of the disk's log. */
export function afterLossOfPower(
  entries: readonly DiskEntry[],
  about: { database: Buffer; cut: number; random: () => number },
): { database: Buffer; log: Buffer } {
  const { database, cut, random } = about;
  const files = { database: createFile(database), log: createFile(Buffer.alloc(0)) };
  const unsynced: Record<DiskEntry["file"], DiskEntry[]> = { database: [], log: [] };
  for (const entry of entries) {
    if (entry.end > cut) break;
    if (entry.kind === "sync") {
      for (const each of unsynced[entry.file].splice(0)) apply(files[entry.file], each);
    } else unsynced[entry.file].push(entry);
  }
  for (const name of ["database", "log"] as const)
    for (const entry of unsynced[name]) applySome(files[name], entry, random);
  return { database: files.database.content(), log: files.log.content() };
}
