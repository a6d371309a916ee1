/** @returns imported name → path, for esbuild's `alias` */
export function copyAiSdk(): Record<string, string>;
/** paths in the checkout */
export const aiSdkInputs: readonly string[];
