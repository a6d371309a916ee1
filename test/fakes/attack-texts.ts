/** Texts that make a backtracking regular expression work: what it repeats, repeated, after what must precede it. */

/** One element of a regular expression. */
type Node =
  | { kind: "set"; text: string }
  | { kind: "choice"; branches: Node[][] }
  | { kind: "repeated"; node: Node; least: number; max: number }
  | { kind: "assertion" };

const quantifier = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/;

/** Reads the syntax that the source uses. Throws on what it doesn't know. */
function parse(source: string): Node[][] {
  let at = 0;
  const escapeLength = (): number => {
    const rest = source.slice(at);
    return (/^\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[pP]\{\w+\}|[^])/.exec(rest)?.[0] ?? "").length;
  };
  const take = (length: number): string => source.slice(at, (at += length));
  function set(): Node {
    const began = at++;
    while (source[at] !== "]") at += source[at] === "\\" ? escapeLength() : 1;
    at += 1;
    return { kind: "set", text: source.slice(began, at) };
  }
  function group(): Node {
    const opening = take(/^\((?:\?(?::|=|!|<=|<!|<\w+>))?/.exec(source.slice(at))?.[0].length ?? 1);
    const branches = alternatives();
    at += 1;
    return /[=!]$/.test(opening) ? { kind: "assertion" } : { kind: "choice", branches };
  }
  function atom(): Node {
    const character = source[at];
    if (character === "[") return set();
    if (character === "(") return group();
    if (character === "^" || character === "$") return ((at += 1), { kind: "assertion" });
    if (character !== "\\") return { kind: "set", text: take(1) };
    const text = take(escapeLength());
    if (/^\\[1-9k]/.test(text)) throw new Error(`A back reference: ${source}`);
    return /^\\[bB]$/.test(text) ? { kind: "assertion" } : { kind: "set", text };
  }
  function sequence(): Node[] {
    const nodes: Node[] = [];
    while (at < source.length && source[at] !== "|" && source[at] !== ")") {
      const node = atom();
      const [text, least, comma, max] = quantifier.exec(source.slice(at)) ?? [];
      if (text === undefined) {
        nodes.push(node);
        continue;
      }
      at += text.length;
      const bounds =
        least === undefined
          ? { least: text[0] === "+" ? 1 : 0, max: text[0] === "?" ? 1 : Infinity }
          : { least: Number(least), max: comma === "" ? Number(least) : Number(max || Infinity) };
      nodes.push({ kind: "repeated", node, ...bounds });
    }
    return nodes;
  }
  function alternatives(): Node[][] {
    const branches = [sequence()];
    while (source[at] === "|") {
      at += 1;
      branches.push(sequence());
    }
    return branches;
  }
  return alternatives();
}

const alphabet = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  "\u00a0",
  "é",
  "\u1100",
  "\u2028",
  "漢",
  "\ufffd",
];

/** Every text of one element alone, in the places where it stands. */
const setsIn = (nodes: readonly Node[]): string[] =>
  nodes.flatMap((node) =>
    node.kind === "set"
      ? [node.text]
      : node.kind === "choice"
        ? node.branches.flatMap(setsIn)
        : node.kind === "repeated"
          ? setsIn([node.node])
          : [],
  );

/** What is repeated without a narrow bound, after the shortest text that leads there. */
interface Repetition {
  before: string;
  pieces: string[];
}

/** Counts from here on are long enough to matter. */
const many = 32;

function repetitionsOf(regex: RegExp): { repetitions: Repetition[]; characters: string[] } {
  const branches = parse(regex.source);
  const flags = regex.flags.replaceAll(/[gy]/g, "");
  const matchers = new Map(
    branches.flatMap(setsIn).map((text) => [text, new RegExp(`^(?:${text})$`, flags)]),
  );
  const matching = (text: string): string[] =>
    alphabet.filter((character) => matchers.get(text)?.test(character));
  /** one character for each group that the sets tell apart */
  const characters = [
    ...new Map(
      alphabet.map((character) => [
        [...matchers.values()].map((matcher) => matcher.test(character)).join(),
        character,
      ]),
    ).values(),
  ];
  const shortest = (node: Node): string => {
    if (node.kind === "set") return matching(node.text)[0] ?? "";
    if (node.kind === "choice") return (node.branches[0] ?? []).map(shortest).join("");
    return node.kind === "assertion" ? "" : shortest(node.node).repeat(node.least);
  };
  const piecesOf = (node: Node): string[] => {
    if (node.kind === "set") return characters.filter((one) => matchers.get(node.text)?.test(one));
    if (node.kind === "choice")
      return node.branches.flatMap((branch) => {
        const whole = branch.map(shortest).join("");
        const parts = branch.flatMap((part) =>
          part.kind === "repeated" ? piecesOf(part.node).map((piece) => whole + piece) : [],
        );
        return [whole, ...parts, ...branch.flatMap(piecesOf)];
      });
    return node.kind === "assertion" ? [] : piecesOf(node.node);
  };
  const repetitions: Repetition[] = [];
  const walk = (nodes: readonly Node[], before: string): void => {
    let led = before;
    for (const node of nodes) {
      if (node.kind === "choice") for (const branch of node.branches) walk(branch, led);
      if (node.kind === "repeated") {
        walk([node.node], led);
        if (node.max >= many) repetitions.push({ before: led, pieces: piecesOf(node.node) });
      }
      led += shortest(node);
    }
    // An unanchored expression begins again at each beginning.
    repetitions.push({ before: "", pieces: [led] });
  };
  for (const branch of branches) walk(branch, "");
  return { repetitions, characters };
}

/** Attacks as functions of a length. */
export function attacksOn(regex: RegExp): ((length: number) => string)[] {
  const { repetitions, characters } = repetitionsOf(regex);
  const attacks = new Map<string, (length: number) => string>();
  const add = (before: string, piece: string, after: string): void => {
    if (piece !== "")
      attacks.set(JSON.stringify([before, piece, after]), (length) =>
        [before, piece.repeat(Math.ceil(length / piece.length)), after].join(""),
      );
  };
  for (const { before, pieces } of repetitions)
    for (const piece of new Set(pieces))
      for (const after of ["", "\u0000", "\n", "!", "x"]) {
        add(before, piece, after);
        if (before !== "") add("", before + piece, after);
        add("", piece, after);
        // What begins the text may have to be something else.
        add("\u0000", piece, after);
        add("x", piece, after);
      }
  for (const one of characters) add("", one, "\u0000x\n");
  return [...attacks.values()];
}
