/**
 * How a person calls the router: from a checkout by npm's scripts, or from the package by its program. What is
 * printed names the way that the person took.
 */

/** Written by the build of the package alone: see `router-package.ts`. */
declare const builtForPackage: true | undefined;

export const isPackaged = typeof builtForPackage !== "undefined";

export const startCommand = isPackaged ? "npx mcp-sampling-router" : "npm start";

/** @param script its name among npm's scripts; its name in the package has no `db:` before it */
export function commandLine(script: string, rest = ""): string {
  if (isPackaged) return `npx mcp-sampling-router ${script.replace("db:", "")} ${rest}`.trimEnd();
  return rest === "" ? `npm run ${script}` : `npm run ${script} -- ${rest}`;
}
