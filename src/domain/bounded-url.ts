/** Length limits of foreign URLs and hosts. Sources: RFC 1035, section 2.3.4; limits of browsers and proxies. */
const maxUrlCharacters = 2_048;
const maxHostCharacters = 253;

export function boundedUrl(text: string): URL | null {
  if (text.length > maxUrlCharacters) return null;
  const url = URL.parse(text);
  return url === null || url.hostname.length > maxHostCharacters ? null : url;
}

/** Removes trailing characters in linear time; `/x+$/` takes quadratic time. */
export function withoutTrailing(text: string, character: "." | "/"): string {
  let end = text.length;
  while (text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}
