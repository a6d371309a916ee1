/** Builds `#oauth-provider` unless it is up to date. */
export function ensureOauthProvider(): Promise<void>;
/** paths in the checkout */
export const oauthProviderInputs: readonly string[];
