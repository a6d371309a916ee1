import { createOutgoing, type Outgoing } from "../node/outgoing.ts";
import type { Settings } from "./settings.ts";

export const outgoingOf = ({ proxies }: Pick<Settings, "proxies">): Outgoing =>
  createOutgoing(proxies);
