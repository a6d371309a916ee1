/** What one database gives to each surface. */
import type { Services } from "../../http/context.ts";
import type { CommonServices } from "../everywhere.ts";

/** The parts of all surfaces, over one database. */
export type DatabaseServices = Services["app"] &
  Services["sampling"] &
  Services["models"] &
  Services["dryRun"] &
  Services["proxy"] &
  Services["admin"] &
  Services["console"] &
  Services["consolePage"] &
  Services["metrics"] &
  Services["oauth"] &
  CommonServices;

/** Each surface sees what it uses. The parts are made when they are read, so they are not spread. */
export const servicesOf = (parts: DatabaseServices): Services => ({
  app: parts,
  sampling: parts,
  models: parts,
  dryRun: parts,
  proxy: parts,
  admin: parts,
  console: parts,
  oauth: parts,
  health: parts,
  audit: parts,
  consolePage: parts,
  metrics: parts,
});
