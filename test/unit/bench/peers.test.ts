/** A gateway beside the router listens on loopback, whatever it asks for. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";

const preload = join(import.meta.dirname, "..", "..", "bench", "peers", "loopback.mjs");

it.each([
  ["a port", "0, done"],
  ["a port and an address", '0, "0.0.0.0", done'],
  ["a port in words", '"0", undefined, done'],
  ["options", '{ port: 0, host: "::" }, done'],
])("listens on loopback when it asks for %s", (_, args) => {
  const program = `
    const server = require("node:http").createServer();
    const done = () => { process.stdout.write(server.address().address); server.close(); };
    server.listen(${args});`;
  const printed = execFileSync(
    process.execPath,
    ["--import", pathToFileURL(preload).href, "--eval", program],
    { encoding: "utf8" },
  );
  expect(printed).toBe("127.0.0.1");
});
