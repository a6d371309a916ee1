/** Names commands in messages as they are called: by npm in a checkout, by the package's program, or as a file. */

/** Defined by the package's build: see `router-package.ts`. */
declare const builtForPackage: true | undefined;
/** The file's name, defined if a command is built as a file of its own: see `console-build.js`. */
declare const builtAsFile: string | undefined;

export const isPackaged = typeof builtForPackage !== "undefined";

export const startCommand = isPackaged ? "npx mcp-sampling-router" : "npm start";

/** @param script npm's script name; without `db:` in the package */
export function commandLine(script: string, rest = ""): string {
  if (typeof builtAsFile !== "undefined") return `node ${builtAsFile} ${rest}`.trimEnd();
  if (isPackaged) return `npx mcp-sampling-router ${script.replace("db:", "")} ${rest}`.trimEnd();
  return rest === "" ? `npm run ${script}` : `npm run ${script} -- ${rest}`;
}
