/** The house's rules, derived again from the source: the lint rules can't be weakened unseen. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { ts } from "@ts-morph/common";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..", "src");

const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".d.ts"))
  .map((path) => ({
    path: path.replaceAll("\\", "/"),
    text: readFileSync(join(root, path), "utf8"),
  }));

const importsOf = ({ path, text }: { path: string; text: string }): string[] =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(([, target = ""]) =>
    target.startsWith(".")
      ? `src/${relative(root, normalize(join(root, dirname(path), target))).replaceAll("\\", "/")}`
      : target,
  );

const room = (path: string): string => path.split("/")[0] ?? "";
const floors: Record<string, number> = {
  domain: 0,
  catalogue: 1,
  oauth: 1,
  store: 1,
  crypto: 1,
  providers: 1,
  mcp: 1,
  telemetry: 1,
  libraries: 1,
  pipeline: 2,
  proxy: 3,
  http: 4,
  compose: 5,
  node: 5,
  start: 6,
  cli: 7,
  // Runs in a browser: no other room imports it.
  console: 8,
};
/** Groups of a room, lowest first: each imports only from those before it. "" is the room's root. */
const groupsIn: Record<string, readonly string[]> = {
  domain: [
    "",
    "tokens",
    "models",
    "sampling",
    "wires",
    "choice",
    "limits",
    "tenancy",
    "servers",
    "audit",
    "ports",
  ],
  store: [
    "engines/contract",
    "rows",
    "schema",
    "budgets",
    "notifications",
    "usage",
    "records",
    "approvals",
    "seals",
    "directory",
    "engines/memory-ledger",
    "tenants",
    "ledger/admission",
    "ledger/settlement",
    "ledger",
    "people",
    "sessions",
    "engines/durable",
    "engines/embedded",
    "engines/libsql",
  ],
  pipeline: [
    "callers",
    "people",
    "sampling/choice",
    "sampling/admission",
    "sampling/attempts",
    "sampling/request",
    "sampling/streams",
    "sampling/settlement",
    "sampling/states",
    "approvals",
    "sampling",
    "scheduled/audit",
    "scheduled",
    "servers",
    "admin/access",
    "admin/audit",
    "admin/keys",
    "admin/models",
    "admin/servers",
    "admin/tenants",
    "admin",
    "people/consent",
    "sink",
  ],
};
/** The folder inside of its room; "" for a file at the room's root. */
const folderIn = (path: string): string =>
  path
    .replace(/^src\//, "")
    .split("/")
    .slice(1, -1)
    .join("/");
const ownRoom = (target: string): string => room(target.replace(/^src\//, ""));
const violations = (rule: (file: (typeof files)[number], target: string) => boolean): string[] =>
  files.flatMap((file) =>
    importsOf(file)
      .filter((target) => rule(file, target))
      .map((target) => `${file.path} imports ${target}`),
  );
/** `places`: rooms, or folders in one */
const onlyIn = (pattern: RegExp, places: readonly string[]): string[] =>
  violations(
    ({ path }, target) =>
      pattern.test(target) &&
      !places.some((place) => path === place || path.startsWith(`${place}/`)),
  );

/** The first way back to where it began; null: there is none. */
function circleIn(graph: ReadonlyMap<string, Iterable<string>>): string[] | null {
  const done = new Set<string>();
  const visit = (node: string, trail: string[]): string[] | null => {
    if (trail.includes(node)) return [...trail.slice(trail.indexOf(node)), node];
    if (done.has(node)) return null;
    for (const next of graph.get(node) ?? []) {
      const circle = graph.has(next) ? visit(next, [...trail, node]) : null;
      if (circle !== null) return circle;
    }
    done.add(node);
    return null;
  };
  for (const node of graph.keys()) {
    const circle = visit(node, []);
    if (circle !== null) return circle;
  }
  return null;
}

const maxLines = 60;

/**
 * Names of the functions that are too long. A factory, which only defines functions and returns them, may be
 * longer: what it defines is looked at by itself. So may a table of routes, `…Routes`.
 */
function longFunctionsIn(path: string, text: string): string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lineAt = (position: number): number => source.getLineAndCharacterOfPosition(position).line;
  const isFactory = (name: string, body: ts.Node): boolean =>
    /^create[A-Z]|Routes$/.test(name) &&
    (!ts.isBlock(body) ||
      body.statements.every(
        (statement) =>
          ts.isVariableStatement(statement) ||
          ts.isFunctionDeclaration(statement) ||
          ts.isReturnStatement(statement) ||
          (name.endsWith("Routes") && ts.isExpressionStatement(statement)),
      ));
  const found: string[] = [];
  const visit = (node: ts.Node, around: string): void => {
    const body = ts.isFunctionLike(node) && "body" in node ? node.body : undefined;
    if (body === undefined) return node.forEachChild((child) => visit(child, around));
    const named = [node, node.parent].find(
      (each): each is ts.NamedDeclaration => "name" in each && each.name !== undefined,
    );
    const name = named?.name?.getText(source) ?? `${around} › inside`;
    const lines = lineAt(node.end) - lineAt(node.getStart(source)) + 1;
    if (lines > maxLines && !isFactory(name, body)) found.push(name);
    return node.forEachChild((child) => visit(child, name));
  };
  visit(source, "");
  return found;
}

describe("the house", () => {
  it("is read whole: every room is there", () => {
    for (const name of Object.keys(floors))
      expect(files.some(({ path }) => room(path) === name)).toBe(true);
    expect(files.length).toBeGreaterThan(60);
  });

  it("has imports that go down only, and no room of floor 1 imports another", () => {
    expect(
      violations(({ path }, target) => {
        const from = floors[room(path)];
        const to = floors[ownRoom(target)];
        if (from === undefined || to === undefined || !target.startsWith("src/")) return false;
        return to > from || (to === from && room(path) !== ownRoom(target));
      }),
    ).toEqual([]);
  });

  it.each(Object.entries(groupsIn))(
    "has groups in %s that import lower ones only",
    (name, groups) => {
      const inRoom = files.filter(({ path }) => room(path) === name);
      const found = new Set(inRoom.map(({ path }) => folderIn(path)));
      // The root of a room other than the domain is what all groups share, or what opens them.
      if (name !== "domain") found.delete("");
      expect(found).toEqual(new Set(groups));
      const groupAt = (path: string): number => groups.indexOf(folderIn(path));
      expect(
        violations(
          ({ path }, target) =>
            room(path) === name &&
            ownRoom(target) === name &&
            groupAt(path) >= 0 &&
            groupAt(target) > groupAt(path),
        ),
      ).toEqual([]);
    },
  );

  it("has at most 15 files at a folder's root where use cases and tables are", () => {
    const counts = new Map<string, number>();
    for (const { path } of files)
      if (["pipeline", "store", "compose"].includes(room(path)))
        counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    expect([...counts].filter(([, count]) => count > 15)).toEqual([]);
  });

  it("has two eras in the proxy that know neither each other nor the bridge between them", () => {
    const eras = ["legacy", "modern"];
    expect(
      violations(
        ({ path }, target) =>
          room(path) === "proxy" &&
          eras.includes(folderIn(path)) &&
          ownRoom(target) === "proxy" &&
          [...eras, "bridge"].includes(folderIn(target)) &&
          folderIn(target) !== folderIn(path),
      ),
    ).toEqual([]);
  });

  it("has a composition that only hosts import, and settings that only it, hosts and commands read", () => {
    const composers = ["compose", "worker.ts", "node.ts"];
    expect(
      violations(
        ({ path }, target) => ownRoom(target) === "compose" && !composers.includes(room(path)),
      ),
    ).toEqual([]);
    expect(
      violations(
        ({ path }, target) =>
          target === "src/config.ts" && ![...composers, "start", "cli"].includes(room(path)),
      ),
    ).toEqual([]);
  });

  it("has a pipeline that imports the domain and itself only", () => {
    expect(
      violations(
        ({ path }, target) =>
          room(path) === "pipeline" && !/^src\/(domain|pipeline)\//.test(target),
      ),
    ).toEqual([]);
  });

  it("has a proxy and a surface that import neither store, crypto, providers nor telemetry", () => {
    expect(
      violations(
        ({ path }, target) =>
          ["proxy", "http"].includes(room(path)) &&
          ["store", "crypto", "providers", "catalogue", "oauth", "telemetry"].includes(
            ownRoom(target),
          ),
      ),
    ).toEqual([]);
  });

  it("has a launcher and commands that only borrow the store, hashes and signatures, the domain, and the catalogue's sync and lists", () => {
    expect(
      violations(
        ({ path }, target) =>
          ["start", "cli"].includes(room(path)) &&
          ownRoom(target) !== room(path) &&
          target.startsWith("src/") &&
          ![
            ...(room(path) === "cli" ? ["start"] : []),
            "store",
            "crypto",
            "domain",
            "catalogue",
            "config.ts",
            // The host that runs in the launcher's own process.
            ...(room(path) === "start" ? ["node", "node.ts"] : []),
          ].includes(ownRoom(target)) &&
          // A proxy in a process of its own, which asks the router as any program does.
          !(path === "cli/proxy.ts" && /^src\/(proxy\/stdio|libraries)\//.test(target)) &&
          target !== "src/pipeline/scheduled/catalogue.ts" &&
          !(path.startsWith("cli/refresh/") && target === "src/providers/listing.ts"),
      ),
    ).toEqual([]);
  });

  it("has a console that takes the domain's rules and the audit's hashes, and nothing of a server's", () => {
    expect(
      violations(
        ({ path }, target) =>
          room(path) === "console" &&
          target.startsWith("src/") &&
          !["console", "domain"].includes(ownRoom(target)) &&
          !["src/crypto/chain.ts", "src/crypto/signatures.ts"].includes(target),
      ),
    ).toEqual([]);
    expect(
      violations(({ path }, target) => ownRoom(target) === "console" && room(path) !== "console"),
    ).toEqual([]);
  });

  it("has libraries for others that import the domain alone, since they bring no packages along", () => {
    expect(
      violations(
        ({ path }, target) =>
          room(path) === "libraries" && !/^src\/(domain|libraries)\//.test(target),
      ),
    ).toEqual([]);
    expect(
      violations(
        ({ path }, target) =>
          ownRoom(target) === "libraries" && room(path) !== "libraries" && path !== "cli/proxy.ts",
      ),
    ).toEqual([]);
  });

  it("keeps each library in its room", () => {
    expect(onlyIn(/^(hono|@hono\/zod)/, ["http"])).toEqual([]);
    expect(onlyIn(/^(@hono\/node-server|undici$)/, ["node"])).toEqual([]);
    expect(onlyIn(/^@modelcontextprotocol\//, ["mcp"])).toEqual([]);
    expect(onlyIn(/^drizzle-orm/, ["store"])).toEqual([]);
    expect(onlyIn(/^(@ai-sdk\/|workers-ai-provider)/, ["providers"])).toEqual([]);
    expect(onlyIn(/^oauth4webapi/, ["oauth"])).toEqual([]);
    expect(onlyIn(/^@libsql\//, ["store", "start", "cli", "compose/open-database.ts"])).toEqual([]);
    expect(onlyIn(/^libsql$/, ["store/engines/embedded"])).toEqual([]);
    expect(onlyIn(/^(miniflare|wrangler|esbuild)/, ["start"])).toEqual([]);
    // The Workers runtime has no file system and no threads.
    const onNode = ["start", "cli", "node", "store/engines/embedded"];
    expect(onlyIn(/^node:(?!crypto$)/, onNode)).toEqual([]);
    // Both runtimes hash and seal by it.
    expect(onlyIn(/^node:crypto$/, [...onNode, "crypto"])).toEqual([]);
    expect(onlyIn(/^@opentelemetry\//, ["telemetry"])).toEqual([]);
    expect(onlyIn(/^(preact|@preact\/|preact-iso|openapi-fetch)/, ["console"])).toEqual([]);
    expect(onlyIn(/^zod$/, ["catalogue", "mcp", "start", "cli"])).toEqual([]);
  });

  it("keeps the domain pure", () => {
    const impure =
      /\b(fetch\(|Date\.now|new Date\(\)|crypto\.|Math\.random|setTimeout|process\.|console\.\w+\()/;
    expect(files.filter(({ path, text }) => room(path) === "domain" && impure.test(text))).toEqual(
      [],
    );
  });

  it("keeps clocks, chance and the network out of the pipeline, and of the proxy all but timers", () => {
    const impure = /\b(fetch\(|Date\.now|new Date\(|crypto\.|Math\.random|process\.|console\.)/;
    expect(
      files.filter(
        ({ path, text }) =>
          (["pipeline", "proxy"].includes(room(path)) && impure.test(text)) ||
          (room(path) === "pipeline" && /\bsetTimeout/.test(text)),
      ),
    ).toEqual([]);
  });

  it("reads the environment in config.ts and in the launcher only", () => {
    // Shows programs that read it.
    const snippets = "console/playground/snippets.ts";
    expect(
      files
        .filter(({ text }) => /process\.env|\benv\.[A-Z_]{3,}/.test(text))
        .map(({ path }) => path)
        .filter(
          (path) =>
            path !== "config.ts" && path !== snippets && !["start", "cli"].includes(room(path)),
        ),
    ).toEqual([]);
  });

  it("has no circle between files", () => {
    expect(
      circleIn(new Map(files.map((file) => [`src/${file.path}`, importsOf(file)]))),
    ).toBeNull();
  });

  it("has no circle between folders", () => {
    // A file at a room's root stands for itself: what opens a room imports its folders, and what they share is below.
    const nodeOf = (path: string): string =>
      folderIn(path) === "" ? path : path.slice(0, path.lastIndexOf("/"));
    const graph = new Map<string, Set<string>>();
    for (const file of files) {
      const from = nodeOf(`src/${file.path}`);
      const to = graph.get(from) ?? new Set();
      for (const target of importsOf(file).filter((each) => each.startsWith("src/")))
        if (nodeOf(target) !== from) to.add(nodeOf(target));
      graph.set(from, to);
    }
    expect([...graph.keys()]).toEqual(
      expect.arrayContaining(["src/proxy/bridge", "src/mcp/json-text", "src/domain/choice"]),
    );
    expect(circleIn(graph)).toBeNull();
  });

  it("bundles every migration for the Worker, in order", () => {
    const bundled = readFileSync(join(root, "bundled-migrations.ts"), "utf8");
    const listed = [...bundled.matchAll(/name: "([^"]+)"/g)].map(([, name = ""]) => name);
    const folder = readdirSync(join(root, "..", "migrations")).filter((name) =>
      name.endsWith(".sql"),
    );
    expect(listed).toEqual(folder.toSorted());
  });

  it("says in its README where things are that are there", () => {
    const readme = readFileSync(join(root, "README.md"), "utf8");
    const named = [...readme.matchAll(/`((?:[\w.-]+\/)+[\w-]+\.(?:ts|json))`/g)].map(
      ([, path = ""]) => path,
    );
    expect(named.length).toBeGreaterThan(40);
    expect(
      named.filter((path) => !existsSync(join(root, path)) && !existsSync(join(root, "..", path))),
    ).toEqual([]);
  });

  it("has functions of at most 60 lines, factories aside", () => {
    const tooLong = files.flatMap(({ path, text }) =>
      longFunctionsIn(path, text).map((name) => `${path} ${name}`),
    );
    expect(tooLong).toEqual([]);
  });

  it("has a console of a bounded size: scripts and styles, with blank lines and comments", () => {
    const place = join(root, "console");
    const counted = readdirSync(place, { recursive: true, encoding: "utf8" }).filter(
      (path) => /\.(tsx?|css)$/.test(path) && path !== "api-types.d.ts",
    );
    const lines = counted.reduce(
      (sum, path) => sum + readFileSync(join(place, path), "utf8").split("\n").length - 1,
      0,
    );
    // Decision 0047.
    expect(lines).toBeLessThanOrEqual(12_000);
  });

  it("has small files with plain names, and no classes of its own", () => {
    expect(
      files.filter(({ text }) => text.split("\n").length > 301).map(({ path }) => path),
    ).toEqual([]);
    expect(
      files
        .map(({ path }) => path)
        .filter((path) =>
          /(^|\/)(utils?|helpers?|common|types|manager|lib|misc)(\/|\.tsx?$)/.test(path),
        ),
    ).toEqual([]);
    expect(
      files
        // A library's users catch errors.
        .map(({ path, text }) => ({
          path,
          text:
            room(path) === "libraries" ? text.replace(/^.*class \w+ extends Error /gm, "") : text,
        }))
        .filter(({ text }) => /^\s*(export )?(abstract )?class /m.test(text))
        .map(({ path }) => path),
      // The Workers runtime makes Durable Objects of a class.
    ).toEqual(["worker.ts"]);
    expect(
      files
        .filter(({ text }) => /\bas any\b|: any\b|@ts-(ignore|expect-error)/.test(text))
        .map(({ path }) => path),
    ).toEqual([]);
  });

  it("has tests that each begin with the promise that the file holds", () => {
    const tests = join(root, "..", "test");
    const silent = readdirSync(tests, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".test.ts"))
      .filter((path) => !readFileSync(join(tests, path), "utf8").startsWith("/** "))
      .filter((path) => !readFileSync(join(tests, path), "utf8").startsWith("/**\n * "));
    expect(silent).toEqual([]);
  });
});
