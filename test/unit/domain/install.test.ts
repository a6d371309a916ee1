/** Client configurations contain the endpoint and never a key that was not given. */
import { describe, expect, it } from "vitest";
import { installSnippets } from "../../../src/domain/servers/install.ts";

const url = "https://router.example/mcp/demo/search";
const snippetsOf = (key: string | null) =>
  new Map(installSnippets({ url, name: "search", key }).map((each) => [each.client, each]));

describe("what a client is given", () => {
  it("has the address for every client, and no key that was not given", () => {
    for (const { text } of snippetsOf(null).values()) {
      expect(text).toContain(url);
      expect(text).not.toMatch(/srk_[a-z0-9]/);
    }
  });

  it("is a configuration that takes the key from elsewhere, where the client can", () => {
    const snippets = snippetsOf(null);
    expect(JSON.parse(snippets.get("VS Code")?.text ?? "")).toMatchObject({
      inputs: [{ type: "promptString", id: "router-key", password: true }],
      servers: {
        search: { type: "http", url, headers: { Authorization: "Bearer ${input:router-key}" } },
      },
    });
    expect(JSON.parse(snippets.get("Cursor")?.text ?? "")).toEqual({
      mcpServers: { search: { url, headers: { Authorization: "Bearer ${env:ROUTER_KEY}" } } },
    });
    expect(snippets.get("Gemini CLI")?.text).toMatch(
      /--header 'Authorization: Bearer \$ROUTER_KEY'$/,
    );
    expect(snippets.get("Codex")?.text).toContain('bearer_token_env_var = "ROUTER_KEY"');
  });

  it("leads to VS Code and Cursor by an address from which they read the same entry", () => {
    const snippets = snippetsOf(null);
    const [, code = ""] = (snippets.get("VS Code")?.link ?? "").split("vscode:mcp/install?");
    expect(JSON.parse(decodeURIComponent(code))).toMatchObject({
      name: "search",
      type: "http",
      url,
    });
    const link = new URL(snippets.get("Cursor")?.link ?? "");
    expect([link.protocol, link.host, link.pathname]).toEqual([
      "cursor:",
      "anysphere.cursor-deeplink",
      "/mcp/install",
    ]);
    expect(link.searchParams.get("name")).toBe("search");
    expect(JSON.parse(atob(link.searchParams.get("config") ?? ""))).toMatchObject({ url });
  });

  it("has no address once it has a key: addresses are written down in many places", () => {
    const links = [...snippetsOf("srk_one").values()].map(({ link }) => link);
    expect(links.every((link) => link === null)).toBe(true);
  });

  it("allows plain http for Claude Desktop only where the router has no TLS", () => {
    const local = installSnippets({
      url: "http://127.0.0.1:8787/mcp/demo/s",
      name: "s",
      key: null,
    });
    const desktop = (all: { client: string; text: string }[]) =>
      all.find(({ client }) => client === "Claude Desktop")?.text ?? "";
    expect(desktop(local)).toContain("--allow-http");
    expect(desktop([...snippetsOf(null).values()])).not.toContain("--allow-http");
  });
});
