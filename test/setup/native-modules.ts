/**
 * For a project of vitest whose files run in Node: Node itself imports them and strips their types, as it does where
 * the product runs from its source. vitest's own runner transforms each file first, which takes a sixth of the work of
 * short tests. `vi.mock` needs that runner; tests here hand fakes in.
 */
export const nativeModules = { viteModuleRunner: false, nodeLoader: false } as const;
