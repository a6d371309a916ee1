const styles = { inline: "; style-src 'unsafe-inline'", none: "" } as const;

/** No script, no other hosts, no framing. */
export function protectPage(headers: Headers, style: keyof typeof styles): void {
  headers.set(
    "Content-Security-Policy",
    `default-src 'none'${styles[style]}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  headers.set("X-Content-Type-Options", "nosniff");
}

/** Allows only the router's own script, style, and calls, so that injected content can't run. */
const application = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "require-trusted-types-for 'script'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export function protectApplication(headers: Headers): void {
  headers.set("Content-Security-Policy", application);
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("Referrer-Policy", "no-referrer");
  headers.set("Cross-Origin-Opener-Policy", "same-origin");
}
