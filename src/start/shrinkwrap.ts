/** Lockfile of the published package, with the checkout's integrity hashes. */
interface LockEntry {
  version: string;
  integrity?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  dev?: boolean;
}

export interface Lock {
  lockfileVersion: number;
  packages: Record<string, LockEntry>;
}

/** npm honors `npm-shrinkwrap.json` in installed packages. */
export function shrinkwrapOf(
  lock: Lock,
  manifest: { name: string; version: string; dependencies: Record<string, string | undefined> },
): Lock & { name: string; version: string } {
  const { name, version, dependencies } = manifest;
  const packages: Record<string, LockEntry> = {};
  const add = (needed: string): void => {
    const place = `node_modules/${needed}`;
    const entry = lock.packages[place];
    if (entry === undefined || packages[place] !== undefined) return;
    packages[place] = entry;
    const { dependencies: more = {}, optionalDependencies = {} } = entry;
    for (const each of Object.keys({ ...more, ...optionalDependencies })) add(each);
  };
  for (const each of Object.keys(dependencies)) add(each);
  const root = { name, version, dependencies } as unknown as LockEntry;
  return {
    name,
    version,
    lockfileVersion: lock.lockfileVersion,
    packages: { "": root, ...packages },
  };
}
