/** Replaces parts of zod in the Worker that the router never calls. Named by `wrangler.toml` and `bundle.ts`. */
export { default as en } from "zod/v4/locales/en.js";
// Limits of strings and numbers, which the OpenAPI document states.
export { aggregateChecks } from "../../node_modules/zod/v4/core/json-schema-processors.js";

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
  unused as toJSONSchema,
  unused as JSONSchemaGenerator,
  unused as anyProcessor,
  unused as arrayProcessor,
  unused as bigintProcessor,
  unused as booleanProcessor,
  unused as catchProcessor,
  unused as customProcessor,
  unused as dateProcessor,
  unused as defaultProcessor,
  unused as enumProcessor,
  unused as fileProcessor,
  unused as functionProcessor,
  unused as intersectionProcessor,
  unused as lazyProcessor,
  unused as literalProcessor,
  unused as mapProcessor,
  unused as nanProcessor,
  unused as neverProcessor,
  unused as nonoptionalProcessor,
  unused as nullProcessor,
  unused as nullableProcessor,
  unused as numberProcessor,
  unused as objectProcessor,
  unused as optionalProcessor,
  unused as pipeProcessor,
  unused as prefaultProcessor,
  unused as promiseProcessor,
  unused as readonlyProcessor,
  unused as recordProcessor,
  unused as setProcessor,
  unused as stringProcessor,
  unused as successProcessor,
  unused as symbolProcessor,
  unused as templateLiteralProcessor,
  unused as transformProcessor,
  unused as tupleProcessor,
  unused as undefinedProcessor,
  unused as unionProcessor,
  unused as unknownProcessor,
  unused as voidProcessor,
  unused as initializeContext,
  unused as handleUnrepresentable,
  unused as processSchema,
  unused as extractDefs,
  unused as finalize,
  unused as process,
};

/** Called for each schema, unlike what it returns. */
const createUnused = () => unused;
export { createUnused as createStandardJSONSchemaMethod, createUnused as createToJSONSchemaMethod };
