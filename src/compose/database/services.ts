import type { Services } from "../../http/context.ts";
import type { CommonServices } from "../everywhere.ts";

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

/** Parts are lazy getters, so they are not spread. */
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
