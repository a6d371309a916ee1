/**
 * URLs and hosts that somebody else wrote. Parsing and matching cost CPU by length, so a text is measured first. Sources
 * of the bounds: RFC 1035, section 2.3.4 (host names); what browsers and proxies accept in practice (URLs).
 */
const mostUrlCharacters = 2_048;
const mostHostCharacters = 253;

/** `null`: not a URL, or longer than any that is used. */
export function boundedUrl(text: string): URL | null {
  if (text.length > mostUrlCharacters) return null;
  const url = URL.parse(text);
  return url === null || url.hostname.length > mostHostCharacters ? null : url;
}

/** Without the characters at its end. `/x+$/` would try every run of them, which takes quadratic time. */
export function withoutTrailing(text: string, character: "." | "/"): string {
  let end = text.length;
  while (text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}
