/** For the environment of a test's processes that run the source itself, which Node compiles anew in each of them. */
import { fileURLToPath } from "node:url";

export const compileCache = {
  NODE_COMPILE_CACHE: fileURLToPath(
    new URL("../../node_modules/.cache/sampling-router-tests", import.meta.url),
  ),
};
