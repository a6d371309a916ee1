/**
 * No regular expression of the source takes more than linear time on a long text. A backtracking engine needs quadratic time for an
 * innocent `X+$`, and a text of 64 kB then costs seconds.
 *
 * Each expression runs on long texts derived from what it matches: the beginning of a match, a piece of it repeated, and an end that
 * doesn't match. Only the growth of CPU time from one length to the next counts, so a busy machine changes nothing.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ts } from "@ts-morph/common";
import { describe, expect, it } from "vitest";
import { attacksOn } from "./fakes/attack-texts.ts";

const root = join(import.meta.dirname, "..", "src");

/** Expressions that are superlinear and see no text of a stranger's, each with the reason. */
const trusted: Record<string, string> = {
  [String.raw`http/admin/document.ts /\{(\w+)\{[^}]*\}\}/g`]:
    "reads the paths of the router's own routes",
  [String.raw`start/bundle.ts /^x *= *(".*"|\[[^\]]*\])/m`]: "reads a file that the build wrote",
  [String.raw`start/libraries.ts /\[([^\]]+)\]\((?!https:)[^)]+\)/g`]:
    "reads the checkout's own docs",
  [String.raw`start/router-package.ts /^\[build\]\n(?:.+\n)*\n/m`]:
    "reads the checkout's wrangler.toml",
};

interface Expression {
  place: string;
  regex: RegExp;
}

/** The text of an expression that is built of constants; what isn't known before it runs becomes `x`. */
function folded(node: ts.Expression, file: ts.SourceFile): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isParenthesizedExpression(node)) return folded(node.expression, file);
  if (ts.isTaggedTemplateExpression(node)) {
    const { template } = node;
    const raw = (part: ts.TemplateLiteralToken): string => part.rawText ?? part.text;
    if (ts.isNoSubstitutionTemplateLiteral(template)) return raw(template);
    return template.templateSpans.reduce(
      (text, span) => text + folded(span.expression, file) + raw(span.literal),
      raw(template.head),
    );
  }
  if (ts.isTemplateExpression(node))
    return node.templateSpans.reduce(
      (text, { expression, literal }) => text + folded(expression, file) + literal.text,
      node.head.text,
    );
  if (ts.isBinaryExpression(node)) return folded(node.left, file) + folded(node.right, file);
  if (ts.isIdentifier(node)) return constantOf(node.text, file) ?? "x";
  return "x";
}

function constantOf(name: string, file: ts.SourceFile): string | null {
  for (const statement of file.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name: declared, initializer } of statement.declarationList.declarations)
      if (declared.getText(file) === name && initializer !== undefined)
        return folded(initializer, file);
  }
  return null;
}

function expressionsIn(path: string): Expression[] {
  const text = readFileSync(join(root, path), "utf8");
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: Expression[] = [];
  const add = (source: string, flags: string): void =>
    void found.push({ place: path, regex: new RegExp(source, flags) });
  const walk = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf("/");
      add(node.text.slice(1, end), node.text.slice(end + 1));
    }
    if (ts.isNewExpression(node) && node.expression.getText(file) === "RegExp") {
      const [source, flags] = node.arguments ?? [];
      if (source !== undefined)
        add(folded(source, file), flags === undefined ? "" : folded(flags, file).replace("x", ""));
    }
    ts.forEachChild(node, walk);
  };
  walk(file);
  return found;
}

const expressions = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.(?:tsx?|js)$/.test(path) && !path.endsWith(".d.ts"))
  .flatMap((path) => expressionsIn(path.replaceAll("\\", "/")));

function run({ regex }: Expression, text: string): void {
  regex.lastIndex = 0;
  if (regex.global) text.replaceAll(regex, "");
  else regex.exec(text);
}

/** Milliseconds in the best of so many rounds: cheap to measure, and too many if each round is interrupted. */
function costOf(expression: Expression, text: string, rounds: number): number {
  let best = Infinity;
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    run(expression, text);
    best = Math.min(best, performance.now() - began);
  }
  return best;
}

/** Milliseconds of CPU time in the mean of many runs, since some machines count it in steps of 4 ms. */
function cpuCostOf(expression: Expression, text: string): number {
  const began = process.cpuUsage();
  for (let runs = 1; ; runs++) {
    run(expression, text);
    const { user } = process.cpuUsage(began);
    if (user >= 100_000) return user / 1_000 / runs;
  }
}

/** Quadratic time grows 64 times from each to the next. */
const lengths = [24, 192, 1_536, 12_288];
const maxGrowth = 24;
/** Cheaper runs can't be measured, and at the last length can't harm. */
const measurableMs = 4;

function isSuperlinear(expression: Expression, attack: (length: number) => string): boolean {
  const slow = lengths.find((length) => costOf(expression, attack(length), 1) > measurableMs);
  if (slow === undefined) return false;
  const [long, short] = [attack(slow), attack(slow / 8)];
  const grows = (cost: (text: string) => number): boolean =>
    cost(long) > Math.max(measurableMs, maxGrowth * cost(short));
  return (
    grows((text) => costOf(expression, text, 3)) && grows((text) => cpuCostOf(expression, text))
  );
}

const superlinear = (all: readonly Expression[]): string[] =>
  all
    .filter(({ regex }) =>
      attacksOn(regex).some((attack) => isSuperlinear({ place: "", regex }, attack)),
    )
    .map(({ place, regex }) => `${place} ${regex}`);

describe("regular expressions", () => {
  it("takes linear time for each expression of the source, or lists the reason why none is needed", () => {
    expect(expressions.length).toBeGreaterThan(250);
    expect(superlinear(expressions).toSorted()).toEqual(Object.keys(trusted).toSorted());
  });

  it("finds what is known to be quadratic, cubic or exponential", () => {
    const bad = [/a+$/, /x\s*,\s*y|\s+$/, /^(?:a+)+$/, /<(\w+)>[^]*<\/b>/g];
    const known = bad.map((regex) => ({ place: "known", regex }));
    expect(superlinear(known)).toEqual(known.map(({ place, regex }) => `${place} ${regex}`));
  });
});
