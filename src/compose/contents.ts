/** Reads large contents in pieces and yields to I/O in between. */
import type { Config } from "../config.ts";
import { createKeyedHash } from "../crypto/keyed-hash.ts";
import { primitives } from "../crypto/primitives.ts";
import { createPromptPrefixes } from "../pipeline/sampling/choice/prompt-prefixes.ts";
import { createDigestContent } from "../pipeline/sampling/request/request-content.ts";
import type { Host } from "./host.ts";

const prefixesRemembered = 512;
const tenantsWithPrefixes = 256;

export async function contentsOf(
  { masterKey: master }: Pick<Config, "masterKey">,
  { immediately }: Pick<Host, "immediately">,
  now: () => number,
) {
  const digestContent = createDigestContent({
    sha256Hex: primitives.sha256Hex,
    startSha256: primitives.startSha256,
    pause: () => new Promise(immediately ?? ((resolve) => void setTimeout(resolve, 0))),
  });
  const keyed = await createKeyedHash({ master, derivedFor: "sampling-router/prompt-prefix/v1" });
  return {
    digestContent,
    prefixes: createPromptPrefixes({
      hash: async (value) => keyed((await digestContent(value)).sha256),
      now,
      entriesRemembered: prefixesRemembered,
      tenantsRemembered: tenantsWithPrefixes,
    }),
  };
}
