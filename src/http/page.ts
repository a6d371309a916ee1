/** Headers of the pages that a person's browser shows. */

const styles = { inline: "; style-src 'unsafe-inline'", none: "" } as const;

/** No script, nothing from elsewhere, and no other page around it: a frame could have clicks stolen. */
export function protectPage(headers: Headers, style: keyof typeof styles): void {
  headers.set(
    "Content-Security-Policy",
    `default-src 'none'${styles[style]}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  headers.set("X-Content-Type-Options", "nosniff");
}
