/**
 * The reader's language and zone. A browser may name a language that `Intl` refuses, such as `en-US@posix` in a
 * container. uPlot asks `Intl` for that language while it is imported, and would fail. So the browser is given a
 * language that `Intl` takes.
 */
function isTaken(language: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(language).length >= 0;
  } catch {
    return false;
  }
}

export const language = isTaken(navigator.language) ? navigator.language : "en-US";
if (language !== navigator.language)
  Object.defineProperty(navigator, "language", { get: () => language, configurable: true });

export const zone = new Intl.DateTimeFormat(language).resolvedOptions().timeZone;
