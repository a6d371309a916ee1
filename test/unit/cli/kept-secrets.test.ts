/** The copy of a deployment's secrets: what goes in comes out, and nobody else reads it. */
import { chmodSync, mkdtempSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createKeptSecrets } from "../../../src/cli/deploy/kept-secrets.ts";

const place = () => join(mkdtempSync(join(tmpdir(), "kept-secrets-")), ".env.deployment");

it("keeps every value as it is", () => {
  const path = place();
  const { add, read } = createKeptSecrets(path, ".env.deployment");
  const secrets = {
    ADMIN_TOKEN: "begins # and goes on",
    HASH: "#all",
    SINGLE: "it's # here",
    BOTH: `'"#`,
    BLANKS: "  around  ",
    DOLLAR: "$HOME ${HOME} \\n",
    MASTER_KEY: Buffer.alloc(32, 255).toString("base64"),
  };
  expect(read()).toEqual({});
  for (const [name, value] of Object.entries(secrets)) add({ [name]: value });
  expect(read()).toEqual(secrets);
});

it("takes a file that others may read away from them", () => {
  const path = place();
  writeFileSync(path, "MASTER_KEY=before\n");
  chmodSync(path, 0o644);
  const { add, read } = createKeptSecrets(path, ".env.deployment");
  add({ ADMIN_TOKEN: "new" });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(read()).toEqual({ MASTER_KEY: "before", ADMIN_TOKEN: "new" });
  expect(readdirSync(join(path, ".."))).toEqual([".env.deployment"]);
});

it("refuses a value that no such file can hold, and keeps what it has", () => {
  const path = place();
  const { add, read } = createKeptSecrets(path, ".env.deployment");
  add({ MASTER_KEY: "before" });
  for (const value of ["two\nlines", `'"\``]) expect(() => add({ ADMIN_TOKEN: value })).toThrow();
  expect(read()).toEqual({ MASTER_KEY: "before" });
});
