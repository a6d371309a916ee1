import { bridgedMode } from "../../domain/servers/bridging.ts";
import type { Caller } from "../../pipeline/callers/authenticate.ts";

/** A caller behind a bridge: no client can be asked there, so the server's mode is another one. */
export const bridgedCaller = (caller: Caller): Caller => ({
  ...caller,
  server: caller.server && {
    ...caller.server,
    sampling: bridgedMode(caller.server.sampling),
  },
});
