/** `Intl` rejects some browser languages, such as `en-US@posix` in containers. */
function isTaken(language: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(language).length >= 0;
  } catch {
    return false;
  }
}

export const language = isTaken(navigator.language) ? navigator.language : "en-US";

export const zone = new Intl.DateTimeFormat(language).resolvedOptions().timeZone;
