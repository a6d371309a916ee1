/** Whose code a CPU profile's time was spent in, by module. */

interface Node {
  id: number;
  callFrame: { functionName: string; scriptId: string; url: string; lineNumber: number };
  children?: number[];
}

/** As the inspector's `Profiler.stop` has it. */
export interface Profile {
  nodes: Node[];
  /** the node of each sample */
  samples: number[];
  /** µs before each sample */
  timeDeltas: number[];
}

export interface Spent {
  module: string;
  functionName: string;
  /** of that function itself, and of built-in functions that it called */
  ms: number;
}

/** What V8 calls its own parts. */
const ownParts = new Set(["(idle)", "(program)", "(garbage collector)", "(root)"]);
export const idle = "(idle)";

/** esbuild writes the path of each module above its text. */
const moduleLine = /^\s*\/\/ (\S+\.(?:[cm]?[jt]sx?|json|html|txt|sql))$/;

/** A bundle's module at each of its lines; null before the first. */
export function modulesByLine(bundle: string): (string | null)[] {
  let current: string | null = null;
  return bundle.split("\n").map((line) => (current = moduleLine.exec(line)?.[1] ?? current));
}

/** `src/store/ledger/ledger.ts` is the store's; of packages each is its own. */
export function roomOf(module: string): string {
  const [, name] = /(?:^|.*\/)node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(module) ?? [];
  if (name !== undefined) return name;
  if (module.startsWith("node:")) return "Node itself";
  const [top, room, file] = module.split("/");
  return top === "src" && file !== undefined ? `src/${room}` : module;
}

/** Samples come this often. */
export const sampleEveryUs = 250;

/**
 * ms of each node itself. No sample stands for more than two intervals: a thread that waits for a core is not
 * sampled, and neither is an isolate of workerd while another one runs.
 */
function timesOf({ samples, timeDeltas }: Profile): Map<number, number> {
  const times = new Map<number, number>();
  for (const [at, node] of samples.entries()) {
    const us = Math.min(timeDeltas[at] ?? 0, 2 * sampleEveryUs);
    times.set(node, (times.get(node) ?? 0) + us / 1_000);
  }
  return times;
}

/**
 * Node's own scripts are bundles too, and stay one module each.
 * @param sources text of scripts by their ids, where it is known
 */
export function spentIn(profile: Profile, sources: ReadonlyMap<string, string>): Spent[] {
  const times = timesOf(profile);
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map<number, Node>();
  for (const node of profile.nodes)
    for (const child of node.children ?? []) parents.set(child, node);
  const lines = new Map([...sources].map(([id, text]) => [id, modulesByLine(text)]));
  const spent = new Map<string, Spent>();
  for (const [id, ms] of times) {
    let node = nodes.get(id);
    const own = node?.callFrame.functionName ?? "";
    // A built-in function has no place: its caller's time.
    while (node !== undefined && node.callFrame.url === "" && !ownParts.has(own))
      node = parents.get(node.id);
    const { url = "", scriptId = "", lineNumber = 0, functionName = "" } = node?.callFrame ?? {};
    const inBundle = url.startsWith("node:") ? null : lines.get(scriptId)?.[lineNumber];
    const module = ownParts.has(own)
      ? own
      : (inBundle ?? (url === "" ? "built-in functions" : url));
    const key = `${module}\n${functionName}`;
    const sum = spent.get(key) ?? { module, functionName, ms: 0 };
    sum.ms += ms;
    spent.set(key, sum);
  }
  return [...spent.values()];
}

/** The greatest sums first. */
export function summed(
  spent: readonly Spent[],
  nameOf: (each: Spent) => string,
): { name: string; ms: number }[] {
  const sums = new Map<string, number>();
  for (const each of spent) sums.set(nameOf(each), (sums.get(nameOf(each)) ?? 0) + each.ms);
  return [...sums].map(([name, ms]) => ({ name, ms })).toSorted((a, b) => b.ms - a.ms);
}
