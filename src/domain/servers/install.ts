/** Configuration snippets for MCP clients; sources in `docs/clients.md`. */

export const keyVariable = "ROUTER_KEY";

export interface InstallSnippet {
  client: string;
  where: string;
  text: string;
  link: string | null;
}

/** @param key null: the text uses a variable or prompt instead */
export interface Behind {
  url: string;
  name: string;
  key: string | null;
}

const json = (value: object): string => JSON.stringify(value, null, 2);

const claudeCode = ({ url, name, key }: Behind): InstallSnippet => ({
  client: "Claude Code",
  where: "in a terminal",
  text: `claude mcp add --transport http ${name} ${url} --header "Authorization: Bearer ${key ?? `$${keyVariable}`}"`,
  link: null,
});

/** Claude Desktop can't send custom headers, so `mcp-remote` does. */
const claudeDesktop = ({ url, name, key }: Behind): InstallSnippet => ({
  client: "Claude Desktop",
  where: "in claude_desktop_config.json",
  text: json({
    mcpServers: {
      [name]: {
        command: "npx",
        args: [
          "-y",
          "mcp-remote",
          url,
          ...(url.startsWith("http:") ? ["--allow-http"] : []),
          "--transport",
          "http-only",
          "--header",
          `Authorization:\${${keyVariable}}`,
        ],
        env: { [keyVariable]: `Bearer ${key ?? "srk_…"}` },
      },
    },
  }),
  link: null,
});

const prompt = {
  type: "promptString",
  id: "router-key",
  description: "API key of Sampling Router",
  password: true,
};

function vsCode({ url, name, key }: Behind): InstallSnippet {
  const inputs = key === null && { inputs: [prompt] };
  const headers = { Authorization: `Bearer ${key ?? `\${input:${prompt.id}}`}` };
  const entry = { type: "http", url, headers };
  return {
    client: "VS Code",
    where: "in .vscode/mcp.json",
    text: json({ ...inputs, servers: { [name]: entry } }),
    link:
      key === null
        ? `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, ...entry, ...inputs }))}`
        : null,
  };
}

function cursor({ url, name, key }: Behind): InstallSnippet {
  const entry = { url, headers: { Authorization: `Bearer ${key ?? `\${env:${keyVariable}}`}` } };
  const query = new URLSearchParams({ name, config: btoa(JSON.stringify(entry)) });
  return {
    client: "Cursor",
    where: "in .cursor/mcp.json",
    text: json({ mcpServers: { [name]: entry } }),
    link: key === null ? `cursor://anysphere.cursor-deeplink/mcp/install?${query}` : null,
  };
}

/** Codex rejects keys in its file. */
const codex = ({ url, name }: Behind): InstallSnippet => ({
  client: "Codex",
  where: "in ~/.codex/config.toml",
  text: `[mcp_servers.${name}]\nurl = "${url}"\nbearer_token_env_var = "${keyVariable}"`,
  link: null,
});

/** Single quotes, because the CLI expands the variable at each start. */
const geminiCli = ({ url, name, key }: Behind): InstallSnippet => ({
  client: "Gemini CLI",
  where: "in a terminal",
  text: `gemini mcp add -s user --transport http ${name} ${url} --header 'Authorization: Bearer ${key ?? `$${keyVariable}`}'`,
  link: null,
});

const goose = ({ url, key }: Behind): InstallSnippet => ({
  client: "Goose",
  where:
    '`goose configure`, "Add Extension", "Remote Extension (Streamable HTTP)": address and header',
  text: `${url}\nAuthorization: Bearer ${key ?? "srk_…"}`,
  link: null,
});

const inspector = ({ url, key }: Behind): InstallSnippet => ({
  client: "Inspector",
  where: "in a terminal",
  text: `npx @modelcontextprotocol/inspector --cli ${url} --transport http --method tools/list --header "Authorization: Bearer ${key ?? `$${keyVariable}`}"`,
  link: null,
});

export const installSnippets = (behind: Behind): InstallSnippet[] =>
  [claudeCode, claudeDesktop, vsCode, cursor, codex, geminiCli, goose, inspector].map((of) =>
    of(behind),
  );
