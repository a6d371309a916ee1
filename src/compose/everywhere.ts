import type { CatalogueStore } from "../domain/ports/catalogues.ts";
import type { DeliveryStore } from "../domain/ports/outbox.ts";
import type { AsyncResult } from "../domain/refusals.ts";
import type { Services } from "../http/context.ts";

import type { Authorization } from "./authorization.ts";

/** Services across databases. */
export type CommonServices = Pick<Services["admin"], "adminFor"> &
  Services["health"] &
  Pick<Services["oauth"], "finishAuthorization"> &
  Pick<Services["console"], "personSignInOf"> &
  Services["audit"];
/** `catalogues`, `deliveries`: `home`'s */
export type Everywhere = CommonServices & {
  catalogues: () => CatalogueStore;
  deliveries: () => DeliveryStore;
  authorization: Authorization;
  /** whether all seals are under the current MASTER_KEY */
  isResealed: (database: string) => AsyncResult<boolean>;
};
