/** A deployment creates its secrets once, prints none of them, and stops before the first irreversible step that fails. */
import { describe, expect, it } from "vitest";
import {
  runDeployment,
  type DeploymentDeps,
  type DeploymentOptions,
  type Secrets,
} from "../../../src/cli/deploy/deployment.ts";

/** Cloudflare, the router there, and the operator's machine, as far as a deployment sees them. */
function createWorld() {
  const world = {
    isLoggedIn: true,
    /** null: no Worker of this name */
    secrets: null as Record<string, string> | null,
    listFails: false,
    deployFails: false,
    targets: ["https://sampling-router.someone.workers.dev"],
    tenants: [] as string[],
    kept: {} as Record<string, string>,
    environment: {} as Record<string, string | undefined>,
    /** null: nobody answers */
    answers: null as string[] | null,
    arguments: [] as string[],
    said: [] as string[],
    waits: 0,
    readyAfter: 1,
  };
  let file: Secrets = {};
  const answer = (): string => world.answers?.shift() ?? "";
  const deps: DeploymentDeps = {
    async wrangler(args) {
      world.arguments.push(args.join(" "));
      if (args[0] === "whoami")
        return { code: 0, printed: JSON.stringify({ loggedIn: world.isLoggedIn }) };
      if (world.listFails) return { code: 1, printed: "A request to the API failed." };
      return world.secrets === null
        ? { code: 1, printed: "This Worker does not exist on your account. [code: 10007]" }
        : {
            code: 0,
            printed: JSON.stringify(Object.keys(world.secrets).map((name) => ({ name }))),
          };
    },
    async deploy(args) {
      world.arguments.push(["deploy", ...args].join(" "));
      if (world.deployFails) return { code: 1, targets: [] };
      world.secrets = { ...world.secrets, ...(args.includes("/secrets") ? file : {}) };
      return { code: 0, targets: world.targets };
    },
    kept: {
      place: ".env.deployment",
      read: () => world.kept,
      add: (secrets) => (world.kept = { ...world.kept, ...secrets }),
    },
    async withSecretsFile(secrets, use) {
      file = secrets;
      return use("/secrets");
    },
    newSecret: (name) => `made ${name}`,
    environment: world.environment,
    get asker() {
      return world.answers === null
        ? null
        : { ask: async () => answer(), askWhether: async () => answer() === "y" };
    },
    fetch: async (url, init) => {
      const { pathname } = new URL(url as string);
      if (pathname === "/health/ready")
        return new Response("", { status: world.waits < world.readyAfter ? 503 : 200 });
      const isAllowed =
        new Headers(init?.headers).get("authorization") ===
        `Bearer ${world.secrets?.["ADMIN_TOKEN"]}`;
      if (!isAllowed) return Response.json({}, { status: 401 });
      if (init?.method === "GET") return Response.json({ data: world.tenants });
      if (pathname.endsWith("/keys")) return Response.json({ key: "srk_of_the_tenant" });
      world.tenants.push((JSON.parse(init?.body as string) as { slug: string }).slug);
      return Response.json({});
    },
    wait: async () => void (world.waits += 1),
    say: (line) => void world.said.push(line),
  };
  const run = (options: Partial<DeploymentOptions> = {}) =>
    runDeployment(deps, { yes: false, ...options });
  return { world, run };
}

const both = { MASTER_KEY: "made MASTER_KEY", ADMIN_TOKEN: "made ADMIN_TOKEN" };

describe("a first deployment", () => {
  it("makes both secrets, keeps them, deploys, waits, and makes a tenant with a key", async () => {
    const { world, run } = createWorld();
    world.answers = ["y", "acme"];
    expect(await run()).toBeNull();
    expect([world.secrets, world.kept]).toEqual([both, both]);
    expect([world.tenants, world.waits]).toEqual([["acme"], 1]);
    expect(world.said.join("\n")).toContain("srk_of_the_tenant");
  });

  it("shows no secret, neither in its words nor in an argument", async () => {
    const { world, run } = createWorld();
    expect(await run({ yes: true, tenant: "acme" })).toBeNull();
    expect([...world.arguments, ...world.said].join("\n")).not.toContain("made ");
  });

  it("takes secrets of the environment in place of new ones", async () => {
    const { world, run } = createWorld();
    world.environment["MASTER_KEY"] = "a key of the operator's";
    expect(await run({ yes: true })).toBeNull();
    expect(world.secrets?.["MASTER_KEY"]).toBe("a key of the operator's");
  });

  it("stops without an account, and says how to get one", async () => {
    const { world, run } = createWorld();
    world.isLoggedIn = false;
    expect(await run({ yes: true })).toContain("npx wrangler login");
    expect(world.arguments).toEqual(["whoami --json"]);
  });

  it("makes no secret without a yes, and deploys nothing then", async () => {
    const { world, run } = createWorld();
    expect(await run()).toContain("lacks MASTER_KEY and ADMIN_TOKEN: set them");
    world.answers = ["n"];
    expect(await run()).toBe("nothing was deployed");
    expect([world.secrets, world.kept]).toEqual([null, {}]);
  });

  it("does not mistake a failed listing of secrets for an empty list", async () => {
    const { world, run } = createWorld();
    world.listFails = true;
    expect(await run({ yes: true })).toContain("A request to the API failed.");
    expect(world.kept).toEqual({});
  });

  it("asks a route's own domain", async () => {
    const { world, run } = createWorld();
    world.targets = ["router.example/*"];
    expect(await run({ yes: true })).toBeNull();
    expect(world.said).toContain("Ready: https://router.example");
  });

  it("says so when the router does not become ready", async () => {
    const { world, run } = createWorld();
    world.readyAfter = 1_000;
    expect(await run({ yes: true })).toMatch(/^deployed, but .*\/health\/ready is not ready yet$/);
  });
});

describe("a second run", () => {
  it("changes no secret and makes no tenant", async () => {
    const { world, run } = createWorld();
    await run({ yes: true, tenant: "acme" });
    world.secrets = { MASTER_KEY: "changed since", ADMIN_TOKEN: "made ADMIN_TOKEN" };
    expect(await run({ yes: true, tenant: "other" })).toBeNull();
    expect(world.secrets["MASTER_KEY"]).toBe("changed since");
    expect(world.tenants).toEqual(["acme"]);
    expect(world.arguments.at(-1)).toBe("deploy");
  });

  it("sets only the secret that is missing", async () => {
    const { world, run } = createWorld();
    world.secrets = { MASTER_KEY: "of before" };
    expect(await run({ yes: true })).toBeNull();
    expect(world.secrets).toEqual({ MASTER_KEY: "of before", ADMIN_TOKEN: "made ADMIN_TOKEN" });
  });

  it("uploads the secrets that an earlier run made and failed to upload", async () => {
    const { world, run } = createWorld();
    world.deployFails = true;
    expect(await run({ yes: true })).toContain("wrangler deployed nothing");
    world.deployFails = false;
    world.kept["MASTER_KEY"] = "made by the first run";
    expect(await run()).toBeNull();
    expect(world.secrets?.["MASTER_KEY"]).toBe("made by the first run");
  });

  it("looks for no tenant where ADMIN_TOKEN is not known", async () => {
    const { world, run } = createWorld();
    world.secrets = { ...both };
    expect(await run({ tenant: "acme" })).toBeNull();
    expect(world.tenants).toEqual([]);
  });
});
