/** Names commands in messages as they are called: by npm in a checkout, or by the package's program. */

/** Defined by the package's build: see `router-package.ts`. */
declare const builtForPackage: true | undefined;

export const isPackaged = typeof builtForPackage !== "undefined";

export const startCommand = isPackaged ? "npx mcp-sampling-router" : "npm start";

/** @param script npm's script name; without `db:` in the package */
export function commandLine(script: string, rest = ""): string {
  if (isPackaged) return `npx mcp-sampling-router ${script.replace("db:", "")} ${rest}`.trimEnd();
  return rest === "" ? `npm run ${script}` : `npm run ${script} -- ${rest}`;
}
