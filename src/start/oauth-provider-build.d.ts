/** Makes the module `#oauth-provider`, unless it is there for the version that is installed. */
export function ensureOauthProvider(): Promise<void>;
/** paths in the checkout that the module is made of */
export const oauthProviderInputs: readonly string[];
