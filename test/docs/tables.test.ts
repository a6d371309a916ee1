/** Tables of the docs that repeat what the code says, held against it. */
import { describe, expect, it } from "vitest";
import { exclusionReasons } from "../../src/domain/requirements.ts";
import { reasons, refusalTable } from "../../src/domain/refusals.ts";
import { errorAnswer, type Dialect } from "../../src/http/models/errors.ts";
import { modelErrors } from "../fixtures/model-errors.ts";
import { pageNamed, sourceFiles } from "./pages.ts";

/** The cells of every row of a page's tables. */
const rowsOf = (path: string): string[][] =>
  pageNamed(path)
    .text.split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

describe("docs/errors.md", () => {
  const shown = rowsOf("docs/errors.md").filter((row) => row.length === 6);

  it("has one row for each reason, in the order of the code", () => {
    expect(shown.map(([reason]) => reason)).toEqual(reasons.map((reason) => `\`${reason}\``));
  });

  it("says of each reason its code, its statuses, and whether it may succeed later", () => {
    const coded = reasons.map((reason) => {
      const { code, status, mcpStatus, retryable } = refusalTable[reason];
      return [`\`${reason}\``, code, status, mcpStatus, retryable ? "yes" : "no"].map(String);
    });
    expect(shown.map((row) => row.slice(0, 5))).toEqual(coded);
  });
});

it("docs/choosing-models.md says what excludes a model, each reason once", () => {
  const [, part = ""] = pageNamed("docs/choosing-models.md").text.split("| `excludedBy` |");
  const [table = ""] = part.split("\n\n");
  const named = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, reason]) => reason);
  // Only counted, in `excluded`.
  const shown = exclusionReasons.filter((reason) => reason !== "no_credential");
  expect(named.toSorted()).toEqual(shown.toSorted());
});

describe("docs/models.md", () => {
  const [, part = ""] = pageNamed("docs/models.md").text.split("| cause | Anthropic | OpenAI |\n");
  const [table = ""] = part.split("\n\n");
  const rows = table.split("\n").slice(1);
  const cells = rows.map((row) =>
    row.split(" | ").map((cell) => cell.replaceAll(/^\| | \|$/g, "")),
  );
  const errors = Object.values(modelErrors);

  it("has a row for each cause of an error", () => {
    const causes = new Set(errors.map(({ cause }) => cause));
    expect(cells.map(([cause]) => cause).toSorted()).toEqual([...causes].toSorted());
  });

  it.each(["anthropic", "openai"] as const satisfies Dialect[])(
    "gives each error's status and name in the words of %s",
    (dialect) => {
      for (const [cause, anthropic = "", openai = ""] of cells) {
        const said = dialect === "anthropic" ? anthropic : openai;
        const [name] = /(?<=^\d+ `)\w+/.exec(said) ?? [];
        for (const { refusal } of errors.filter((each) => each.cause === cause)) {
          const { status, headers, body } = errorAnswer(refusal, { dialect, requestId: "req_1" });
          const { type, code } = body["error"] as Record<string, unknown>;
          expect([refusal.reason, said.slice(0, 3)]).toEqual([refusal.reason, String(status)]);
          if (name !== undefined) expect([type, code]).toContain(name);
          if (said.includes("x-should-retry")) expect(headers["x-should-retry"]).toBe("false");
        }
      }
    },
  );
});

/** Set by the start for packages that it uses, and no setting of ours. */
const ofOthers = new Set([
  "NODE_ENV",
  "MINIFLARE_WORKERD_PATH",
  "MINIFLARE_WORKERD_V8_FLAGS",
  "WORKERS_CI",
  // docs/stdio.md has the settings of `mcp-sampling-router proxy`.
  "SAMPLING_ROUTER_KEY",
]);

it("docs/operate.md names every setting that the code reads, and no other", () => {
  const read = sourceFiles()
    .filter(({ path }) => path.startsWith("src/"))
    .flatMap(({ text }) => [
      ...text.matchAll(/\benv(?:ironment)?(?:\.|\[")([A-Z][A-Z0-9_]{3,})\b/g),
      ...text.matchAll(/^ {2}([A-Z][A-Z0-9_]{3,})\?: string;$/gm),
      ...text.matchAll(/\b(?:name|place): "([A-Z][A-Z0-9]*_[A-Z0-9_]+)"/g),
    ])
    .map(([, name = ""]) => name)
    .filter((name) => !ofOthers.has(name));
  const [, settings = ""] = pageNamed("docs/operate.md").text.split("\n## Settings\n");
  const [section = ""] = settings.split("\n## ");
  const rows = section.split("\n").filter((line) => line.startsWith("| `"));
  const named = rows.flatMap((row) =>
    [...(row.split("|")[1] ?? "").matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name = ""]) => name),
  );
  expect([...new Set(named)].toSorted()).toEqual([...new Set(read)].toSorted());
});
