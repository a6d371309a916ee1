/** Replaces zod's 60 locales in the Worker. Named by `wrangler.toml` and `bundle.ts`. */
export { default as en } from "zod/v4/locales/en.js";
