/** The lock of the package that is published: what it needs beside its bundles, with the integrity that the checkout's lock has. */
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

/** npm takes `npm-shrinkwrap.json` of an installed package, where it takes no `package-lock.json`. */
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
