/**
 * For `node --import`: gives whoever imports `typescript` the API of TypeScript 6. TypeScript 7 has none,
 * and `openapi-typescript` writes its types with it.
 */
import { registerHooks } from "node:module";
import { ts } from "@ts-morph/common";

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "typescript"
      ? { url: import.meta.url, shortCircuit: true }
      : next(specifier, context),
});

export default ts;
