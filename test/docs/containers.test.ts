/**
 * What runs in a container, under systemd and in Kubernetes, as far as a machine without them can tell: each file is
 * read by its own rules, and what each one runs is there and works. No image is built here.
 */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import {
  baseImage,
  composeOfCheckout,
  composeOfPackage,
  imageLines,
} from "../../src/cli/init-files.ts";
import { parseSettings } from "../../src/start/settings.ts";
import { borrowRouter } from "../fakes/shared-router.ts";
import { checkout, pages } from "./pages.ts";

const textOf = (name: string): string => readFileSync(join(checkout, name), "utf8");
const blockOf = (info: string): string =>
  pages.find(({ path }) => path === "docs/deploy.md")?.blocks.find((block) => block.info === info)
    ?.text ?? "";
const program = "/node_modules/mcp-sampling-router/bin.js";
const run = (args: readonly string[], env: Record<string, string> = {}) =>
  new Promise<number>((resolve) => {
    execFile(process.execPath, args, { env }, (fault) =>
      resolve(fault === null ? 0 : Number(fault.code)),
    );
  });
/** What a directive says after its name; those of JSON as a list. */
const listAfter = (name: string, text: string): string[] =>
  JSON.parse(new RegExp(`^${name}.*?(\\[.*\\])$`, "m").exec(text)?.[1] ?? "[]") as string[];

interface Compose {
  services: {
    router: {
      build: { context?: string; dockerfile_inline?: string };
      environment: Record<string, string>;
      volumes: string[];
      read_only: boolean;
      cap_drop: string[];
    };
  };
  volumes: object;
}

describe("the Dockerfile", () => {
  const dockerfile = textOf("Dockerfile");

  it("has two stages on one image, and ends as the image of init does, as a user who is not root", () => {
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, name]) => name);
    expect(bases).toEqual([baseImage, baseImage]);
    expect(dockerfile.trimEnd().endsWith(imageLines.join("\n"))).toBe(true);
    expect(imageLines.indexOf("USER node")).toBeLessThan(imageLines.indexOf("VOLUME /data"));
  });

  it("builds the package by a script that is there, from files that .dockerignore lets in", () => {
    const { scripts } = JSON.parse(textOf("package.json")) as { scripts: Record<string, string> };
    expect(dockerfile).toContain("npm run package");
    expect(scripts["package"]).toMatch(/^node .*src\/start\/router-package\.ts$/);
    const ignored = textOf(".dockerignore").split("\n");
    expect(ignored).toContain("*");
    const included = ignored.flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : []));
    for (const name of included)
      expect([name, existsSync(join(checkout, name))]).toEqual([name, true]);
    const read = ["src/start/router-package.ts", "src/start/libraries.ts"].map(textOf).join("\n");
    for (const [, name = ""] of read.matchAll(/pageAlone\("([^"]+)"\)/g))
      expect(included).toContain(`docs/${name}`);
    expect(included).toEqual(expect.arrayContaining(["LICENSE", "NOTICE", "migrations", "src"]));
  });

  it("starts the package's program, with options that Node has", async () => {
    const [node, ...options] = listAfter("ENTRYPOINT", dockerfile);
    const path = options.pop();
    expect([node, path]).toEqual(["node", `/app${program}`]);
    expect(await run([...options, "-e", "0"])).toBe(0);
    // The image's Node is the one that the suite runs on.
    expect(baseImage).toContain(`node:${process.versions.node}-`);
  });

  it("has a health check that tells a router that answers from none", async () => {
    const [, ...command] = listAfter("HEALTHCHECK", dockerfile);
    const router = await borrowRouter();
    expect(await run(command, { PORT: new URL(router.url).port })).toBe(0);
    expect(await run(command, { PORT: "9" })).toBe(1);
  });
});

describe("compose.yaml", () => {
  it("of the checkout is the one that init knows", () => {
    expect(textOf("compose.yaml")).toBe(composeOfCheckout());
  });

  it.each([
    ["the checkout", composeOfCheckout()],
    ["init", composeOfPackage("1.2.3")],
  ])("of %s keeps state in a volume and lets nothing else be written", (_, text) => {
    const { services, volumes } = parse(text) as Compose;
    const { router } = services;
    expect(Object.keys(volumes)).toEqual(["state"]);
    expect(router).toMatchObject({ volumes: ["state:/data"], read_only: true, cap_drop: ["ALL"] });
    expect(parseSettings(router.environment)).toMatchObject({
      ok: true,
      value: { host: "0.0.0.0", port: 8787, stateDir: "/data" },
    });
  });

  it("of init makes an image of the package, of that version", () => {
    const { dockerfile_inline: inline = "" } = (parse(composeOfPackage("1.2.3")) as Compose)
      .services.router.build;
    expect(inline.split("\n").slice(0, 2)).toEqual([
      `FROM ${baseImage}`,
      "RUN npm install --prefix /app mcp-sampling-router@1.2.3",
    ]);
    expect(inline.trimEnd().endsWith(imageLines.join("\n"))).toBe(true);
  });
});

describe("docs/deploy.md", () => {
  it("has a unit that starts the package's program as a user of its own", () => {
    const unit = blockOf("ini");
    const settings = new Map(
      [...unit.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]),
    );
    expect(settings.get("ExecStart")).toMatch(
      new RegExp(`^/usr/bin/node .* /opt/sampling-router${program}$`),
    );
    expect(settings.get("User")).toBe("sampling-router");
    expect(settings.get("Environment")).toContain("STATE_DIR=/var/lib/sampling-router");
  });

  it("has a manifest with one replica, which runs as nobody special on a file system that it can't write", () => {
    const documents = parseAllDocuments(blockOf("yaml")).map(
      (each) => each.toJS() as { kind: string; spec: never },
    );
    expect(documents.map(({ kind }) => kind)).toEqual(["Service", "StatefulSet"]);
    const set = documents[1]?.spec as unknown as {
      replicas: number;
      template: {
        spec: {
          securityContext: object;
          containers: { env: { name: string; value: string }[]; securityContext: object }[];
        };
      };
    };
    const { containers, securityContext } = set.template.spec;
    expect(set.replicas).toBe(1);
    expect(securityContext).toMatchObject({
      runAsNonRoot: true,
      fsGroupChangePolicy: "OnRootMismatch",
    });
    expect(containers[0]?.securityContext).toMatchObject({ readOnlyRootFilesystem: true });
    const env = containers[0]?.env.map(({ name, value }) => [name, value]) ?? [];
    expect(parseSettings(Object.fromEntries(env) as Record<string, string>).ok).toBe(true);
  });
});
