/** Replaces parts of zod in the Worker that the router never calls. Named by `wrangler.toml` and `bundle.ts`. */
export { default as en } from "zod/v4/locales/en.js";

const unused = () => {
  throw new Error("left out of the Worker");
};
export {
  unused as compile,
  unused as INVALID,
  unused as fromJSONSchema,
  unused as withParser,
  unused as ZodCompileAsyncError,
  unused as ZodCompileUnsupportedError,
};
