/** What a process does first that runs the source itself. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const checkout = fileURLToPath(new URL("../../../", import.meta.url));
const first = new URL("../../../src/start/from-source.js", import.meta.url).href;
const { scripts } = JSON.parse(readFileSync(`${checkout}package.json`, "utf8")) as {
  scripts: Record<string, string>;
};

/** What a process prints that begins with these modules. */
const printed = (code: string, ...imports: string[]): unknown =>
  JSON.parse(
    execFileSync(
      process.execPath,
      [...imports.flatMap((each) => ["--import", each]), "--input-type=module", "--eval", code],
      { cwd: checkout, encoding: "utf8", env: { PATH: process.env["PATH"] } },
    ),
  );

test("each script of the package that runs a program of src begins with it", () => {
  const programs = Object.values(scripts).filter((script) =>
    /\bsrc\/(cli|start)\/\S+\.ts\b/.test(script),
  );
  expect(programs.length).toBeGreaterThan(10);
  for (const script of programs)
    expect(script).toMatch(/^node --import \.\/src\/start\/from-source\.js src\/\S+\.ts$/);
});

test("drizzle-orm is the same package, whose files are not looked up", () => {
  const names = ["drizzle-orm", "drizzle-orm/sqlite-core", "drizzle-orm/libsql/web"];
  const code = `
    import { createRequire } from "node:module";
    const names = ${JSON.stringify(names)};
    const found = {};
    for (const name of names) {
      const all = await import(name);
      found[name] = [import.meta.resolve(name), Object.keys(all).toSorted()];
    }
    const { sql } = await import("drizzle-orm");
    const twice = await import(import.meta.resolve("drizzle-orm"));
    const required = Object.keys(createRequire(import.meta.url)("drizzle-orm")).toSorted();
    console.log(JSON.stringify({ found, same: twice.sql === sql, required }));`;
  const asNodeDoes = printed(code);
  expect(printed(code, first)).toEqual(asNodeDoes);
  expect(asNodeDoes).toMatchObject({ same: true });
});

test("Node itself looks up each of drizzle-orm's names once", () => {
  // Asked after the hook that is tested, and so for what that one leaves to Node.
  const counting = `data:text/javascript,${encodeURIComponent(`
    import { registerHooks } from "node:module";
    globalThis.lookups = [];
    const resolve = (name, context, next) => {
      if (/drizzle-orm/.test(context.parentURL + name)) globalThis.lookups.push(name);
      return next(name, context);
    };
    registerHooks({ resolve });`)}`;
  const code = `
    await import("drizzle-orm");
    await import("drizzle-orm/sqlite-core");
    await import("./src/store/stores.ts");
    console.log(JSON.stringify(globalThis.lookups));`;
  const lookups = printed(code, counting, first) as string[];
  expect(lookups.slice(0, 2)).toEqual(["drizzle-orm", "drizzle-orm/sqlite-core"]);
  expect(new Set(lookups).size).toBe(lookups.length);
  // Otherwise this test could not fail.
  expect((printed(code, counting) as string[]).length).toBeGreaterThan(99);
});

test("it keeps what V8 has compiled beside the packages", () => {
  const code = `import module from "node:module"; console.log(JSON.stringify(module.getCompileCacheDir() ?? null));`;
  expect(printed(code, first)).toContain(`${checkout}node_modules/.cache/sampling-router-source`);
});

test("a Node that is too old for it runs on, so that the program says which one is needed", () => {
  const old = `data:text/javascript,import module from "node:module"; delete module.registerHooks; delete module.enableCompileCache;`;
  expect(printed(`console.log(1)`, old, first)).toBe(1);
});
