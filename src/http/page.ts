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
