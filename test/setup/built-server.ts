/** Builds the server before the tests, which otherwise build it beside each other, once for each worker. */
import { ensureBuilt } from "../../src/start/build.js";
import { ensureOauthProvider } from "../../src/start/oauth-provider-build.js";

export default async function setup(): Promise<void> {
  await ensureOauthProvider();
  await ensureBuilt(() => {});
}
