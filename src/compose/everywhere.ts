import type { CatalogueStore } from "../domain/ports/catalogues.ts";
import type { DeliveryStore } from "../domain/ports/outbox.ts";
import type { AsyncResult } from "../domain/refusals.ts";
import type { Services } from "../http/context.ts";

/** What no single shard can do. */
import type { Authorization } from "./authorization.ts";

export type EveryShardsServices = Pick<Services["admin"], "adminFor"> &
  Services["health"] &
  Pick<Services["oauth"], "finishAuthorization"> &
  Pick<Services["console"], "personSignInOf"> &
  Services["audit"];
/** `catalogues`, `deliveries`: the home shard's */
export type Everywhere = EveryShardsServices & {
  catalogues: () => CatalogueStore;
  deliveries: () => DeliveryStore;
  /** of the database of a name */
  authorization: Authorization;
  isResealed: (shard: string) => AsyncResult<boolean>;
};
