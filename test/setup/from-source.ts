/** How a test's processes begin that run the source itself: as those of `npm run dev` and of the commands do. */
const first = new URL("../../src/start/from-source.js", import.meta.url).href;

/** for the environment */
export const fromSource = { NODE_OPTIONS: `--import=${first}` };

/** for the processes in which vitest runs test files */
export const fromSourceArgs = ["--import", first];
