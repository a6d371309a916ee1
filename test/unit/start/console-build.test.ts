/** The built console has the files and headers that both hosts serve. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeConsole } from "../../../src/start/console-build.js";
import { memoryFolder } from "../../setup/memory-folder.ts";

describe("the console's files, as Cloudflare serves them", () => {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(memoryFolder(), "console-"));
    await writeConsole(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("include no page, and the manifest names the script and each page's file", () => {
    const files = readdirSync(join(folder, "console", "assets"));
    const text = readFileSync(join(folder, "console", "assets", "manifest.json"), "utf8");
    const { script, pages } = JSON.parse(text) as {
      script: string;
      pages: Record<string, string>;
    };
    expect(Object.keys(pages)).toEqual(expect.arrayContaining(["overview", "requests", "request"]));
    expect(files).toEqual(expect.arrayContaining([script, ...Object.values(pages)]));
    // The manifest, the script, the pages, what verifies a seal, and the verifier to download: a file beside these would be
    // a third one of some page.
    expect(files).toHaveLength(Object.keys(pages).length + 4);
    expect(files.filter((name) => !/\.(js|css|json)$/.test(name))).toEqual([]);
  });

  it("have the headers that the router itself sends with them", () => {
    const headers = readFileSync(join(folder, "_headers"), "utf8");
    expect(headers).toContain("X-Content-Type-Options: nosniff");
    expect(headers).toContain("Cache-Control: public, max-age=31536000, immutable");
    expect(headers).toContain("Content-Security-Policy: default-src 'none'");
  });
});
