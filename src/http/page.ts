/** Headers of the pages that a person's browser shows. */

const styles = { inline: "; style-src 'unsafe-inline'", none: "" } as const;

/** No script, nothing from other hosts, and no frame around the page, in which clicks could be stolen. */
export function protectPage(headers: Headers, style: keyof typeof styles): void {
  headers.set(
    "Content-Security-Policy",
    `default-src 'none'${styles[style]}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  headers.set("X-Content-Type-Options", "nosniff");
}

/**
 * The console's script and style come from this router, and its calls go to this router. What a tenant, a client or a
 * provider wrote can't become a script, even where the page made a mistake.
 */
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
