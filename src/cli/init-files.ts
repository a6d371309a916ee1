import { readFileSync } from "node:fs";
import { join } from "node:path";
import { err, ok, type Result } from "../domain/result.ts";

/** Unambiguous in shells, Compose, and Node's `.env` reader. */
const plain = /^[\w.:/+=@,-]*$/;

/** Single quotes keep `$` and `#` literal, in Compose as well. */
function quoted(name: string, value: string): Result<string, string> {
  if (plain.test(value)) return ok(value);
  return /['\r\n]/.test(value)
    ? err(`${name} contains a quote or a line break: set it in the environment`)
    : ok(`'${value}'`);
}

export function envText(values: Readonly<Record<string, string>>): Result<string, string> {
  const lines = [
    "# Settings of Sampling Router. Environment variables take precedence over this file.",
  ];
  for (const [name, value] of Object.entries(values)) {
    if (value === "") continue;
    const text = quoted(name, value);
    if (!text.ok) return text;
    lines.push(`${name}=${text.value}`);
  }
  return ok(`${lines.join("\n")}\n`);
}

/** As in the checkout's `Dockerfile`. */
export const baseImage =
  "node:24.9.0-bookworm-slim@sha256:3e69116c924bfcba6c6979aff60d966c37aef56d488ce091c69d442ebec9f103";

export const imageLines = [
  "ENV HOST=0.0.0.0 STATE_DIR=/data NODE_ENV=production",
  "RUN install -d -o node -g node -m 700 /data",
  "USER node",
  "WORKDIR /data",
  "VOLUME /data",
  "EXPOSE 8787",
  `HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8787) + '/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]`,
  `ENTRYPOINT ["node", "--min-semi-space-size=16", "--max-semi-space-size=32", "/app/node_modules/mcp-sampling-router/bin.js"]`,
];

/** @param build lines below `build:` */
export const composeText = (build: readonly string[]): string =>
  `# Sampling Router in a container: docker compose up. Settings are in .env; the database and the secrets in the volume.
services:
  router:
    build:
${build.map((line) => (line === "" ? "" : `      ${line}`)).join("\n")}
    env_file:
      - path: .env
        required: false
    # A production start, since HOST is not loopback and a container's log is stored: it prints no secret and creates no tenant # demo. The operator's token is in the volume: docker compose exec router cat /data/secrets.json. Set DEMO=true in .env for a demo.
    environment:
      HOST: 0.0.0.0
      PORT: "8787"
      STATE_DIR: /data
    ports:
      - "\${HOST:-127.0.0.1}:\${PORT:-8787}:8787"
    volumes:
      - state:/data
    # Nothing but the volume and /tmp can be written to.
    read_only: true
    tmpfs:
      - /tmp
    cap_drop:
      - ALL
    security_opt:
      - no-new-privileges:true
    restart: unless-stopped
    # DRAIN_SECONDS, and some for the database's end.
    stop_grace_period: 40s

volumes:
  state:
`;

export const composeOfCheckout = (): string => composeText(["context: ."]);

/** Builds an image from the published package. */
export const composeOfPackage = (version: string): string =>
  composeText([
    "dockerfile_inline: |",
    ...[
      `FROM ${baseImage}`,
      `RUN npm install --prefix /app mcp-sampling-router@${version}`,
      ...imageLines,
    ].map((line) => `  ${line.replaceAll("$", "$$$$")}`),
  ]);

/** The deployment's configuration for an installed package. */
export const wranglerText = (root: string): string =>
  readFileSync(join(root, "lib", "wrangler.toml"), "utf8");
