/**
 * What a process does first that runs the source itself: `node --import ./src/start/from-source.js <file>.ts`, as `npm run dev`
 * and the commands do. Plain JavaScript, as `start.js` is.
 *
 * It keeps V8's compiled code beside the packages. And it looks up each name of drizzle-orm once, and none of that package's own
 * files. Node would read the 180 kB of `exports` in that package's description again for each import of the package, and for each
 * of its 150 files, which takes five times as long as running them.
 */
import module from "node:module";
import { fileURLToPath } from "node:url";

const checkout = new URL("../../", import.meta.url).href;
const cache = new URL("../../node_modules/.cache/sampling-router-source/", import.meta.url);
const isDrizzles = (url = "") => url.startsWith(`${checkout}node_modules/drizzle-orm/`);
/** Of this project: another package may have a drizzle-orm of its own. */
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
// Absent in a Node that is too old, which the program itself refuses in words.
module.registerHooks?.({ resolve });
