/** Replaces zod's list of 60 locales in the Worker, which uses English alone. `wrangler.toml` and `bundle.ts` name this file. */
export { default as en } from "zod/v4/locales/en.js";
