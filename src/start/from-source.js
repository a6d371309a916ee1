/**
 * Preloaded to run the source: `node --import ./src/start/from-source.js <file>.ts`. Plain JavaScript, like
 * `start.js`.
 *
 * Enables the compile cache, and resolves names of drizzle-orm once: Node would parse its 180 kB of `exports`
 * for each of 150 files, which takes five times as long as running them.
 */
import module from "node:module";
import { fileURLToPath } from "node:url";

const checkout = new URL("../../", import.meta.url).href;
const cache = new URL("../../node_modules/.cache/sampling-router-source/", import.meta.url);
const isDrizzles = (url = "") => url.startsWith(`${checkout}node_modules/drizzle-orm/`);
/** Other packages may have a drizzle-orm of their own. */
const isOurs = (url = "") => url.startsWith(checkout) && !url.includes("/node_modules/");
const found = new Map();

function resolve(specifier, context, next) {
  if (isDrizzles(context.parentURL) && /^\.{1,2}\/.*\.js$/.test(specifier))
    return {
      url: new URL(specifier, context.parentURL).href,
      format: "module",
      shortCircuit: true,
    };
  if (!specifier.startsWith("drizzle-orm") || !isOurs(context.parentURL))
    return next(specifier, context);
  const known = found.get(specifier) ?? { ...next(specifier, context), shortCircuit: true };
  found.set(specifier, known);
  return known;
}

module.enableCompileCache?.(fileURLToPath(cache));
// Missing in older Node versions, which the program rejects itself.
module.registerHooks?.({ resolve });
