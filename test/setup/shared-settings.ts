/** Settings of the routers that test files share: those that change nothing for a file which does not use them. */

/** Browsers at these origins may call the API. */
export const allowedOrigins = ["https://console.example", "http://localhost:5173"] as const;

/** What one key may hold open at the proxy: more than any file needs that does not test it. */
export const openPerKey = { requests: 64, streams: 24 };

/** The operator's identity at AWS. */
export const operatorKey = {
  accessKeyId: "AKIAOPERATOR",
  secretAccessKey: "operator-secret-CANARY",
} as const;

/** The identity of the router's machine. */
export const hostKey = {
  accessKeyId: "AKIAHOST",
  secretAccessKey: "host-secret-CANARY",
} as const;

export const sharedSettings = {
  HOST_IDENTITY_TENANTS: "*",
  AWS_ACCESS_KEY_ID: hostKey.accessKeyId,
  AWS_SECRET_ACCESS_KEY: hostKey.secretAccessKey,
  ASSUME_ROLE_ACCESS_KEY_ID: operatorKey.accessKeyId,
  ASSUME_ROLE_SECRET_ACCESS_KEY: operatorKey.secretAccessKey,
  ALLOWED_ORIGINS: allowedOrigins.join(", "),
  OPEN_REQUESTS_PER_KEY: String(openPerKey.requests),
  OPEN_STREAMS_PER_KEY: String(openPerKey.streams),
};

/** How the two routers of a pair come to one database. */
export const sharing = ["processes on a libSQL server", "isolates over objects"] as const;
export type Sharing = (typeof sharing)[number];
