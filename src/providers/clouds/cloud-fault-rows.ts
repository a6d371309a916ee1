/** Meaning of clouds' errors. The rows of the API that a cloud serves apply too, after these. */
import { azureBilling, rowsOf, type Row } from "../fault-row.ts";

const azureAccess =
  "https://learn.microsoft.com/azure/ai-services/openai/how-to/role-based-access-control";

const denied = {
  kind: "auth",
  reach: "credential",
  retryable: true,
  code: "access_denied",
} as const;

const azure = rowsOf({ providers: ["azure"], ...azureBilling }, [
  {
    ...denied,
    status: { from: 401, to: 403 },
    names: ["permissiondenied"],
    billed: "no",
    source: azureAccess,
  },
]);

export const cloudFaultRows: readonly Row[] = [...azure];
