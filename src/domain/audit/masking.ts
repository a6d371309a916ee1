/** Masks secrets. Each pattern starts at a boundary and matches one run of characters, so time is linear. */
import type { JsonValue } from "../json.ts";

const mask = (kind: string): string => `[masked ${kind}]`;

interface Pattern {
  kind: string;
  pattern: RegExp;
}

const wordStart = "(?<![A-Za-z0-9_])";
const token = (kind: string, source: string): Pattern => ({
  kind,
  pattern: new RegExp(wordStart + source, "g"),
});

const keyWords =
  "api[_-]?key|apikey|access[_-]?key|secret[_-]?access[_-]?key|access[_-]?token|refresh[_-]?token|" +
  "auth[_-]?token|client[_-]?secret|secret[_-]?key|private[_-]?key|password|passwd|pwd";

const whole: readonly Pattern[] = [
  token("router key", "srk_[0-9a-z]{4,64}_[A-Za-z0-9_-]{8,}"),
  token("console session", "srs_[0-9a-z]{4,64}_[A-Za-z0-9_-]{8,}"),
  // OAuth tokens, codes and page cookies start with the tenant and the key.
  token(
    "access token",
    "ten_[0-9a-z]{4,64}\\.key_[0-9a-z]{4,64}[:.][A-Za-z0-9_-]{8,}(?::[A-Za-z0-9_-]{8,})?",
  ),
  token("router token", "sra_[A-Za-z0-9_-]{20,}"),
  token("anthropic key", "sk-ant-[A-Za-z0-9_-]{16,}"),
  token("provider key", "sk-[A-Za-z0-9_-]{16,}"),
  token("google key", "AIza[A-Za-z0-9_-]{30,}"),
  token("google token", "ya29\\.[A-Za-z0-9_-]{16,}"),
  token("groq key", "gsk_[A-Za-z0-9]{16,}"),
  token("xai key", "xai-[A-Za-z0-9_-]{16,}"),
  token("provider key", "(?:pplx|fw|csk|r8|hf|nvapi|tgp_v1|key)[-_][A-Za-z0-9_-]{28,}"),
  token("github token", "(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})"),
  token("gitlab token", "glpat-[A-Za-z0-9_-]{16,}"),
  token("slack token", "(?:xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,})"),
  token("stripe key", "(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{10,}"),
  token("npm token", "npm_[A-Za-z0-9]{30,}"),
  token("sendgrid key", "SG\\.[A-Za-z0-9_-]{16,}(?:\\.[A-Za-z0-9_-]{16,})?"),
  token("aws key", "(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16,}"),
  {
    kind: "jwt",
    // A hyphen before the match is excluded too, otherwise a text of many prefixes takes quadratic time.
    pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*)?/g,
  },
];

const after: readonly Pattern[] = [
  {
    kind: "token",
    pattern:
      /((?<![A-Za-z0-9_])bearer[ \t]{1,8})(?:[A-Za-z0-9._~+/-]{20,}=*|(?=[A-Za-z._~+/-]{0,20}[0-9])[A-Za-z0-9._~+/-]{8,}=*)/gi,
  },
  {
    kind: "credentials",
    pattern:
      /((?<![A-Za-z0-9_])authorization["']?[ \t]{0,4}[:=][ \t]{0,4}["']?basic[ \t]{1,8})[A-Za-z0-9+/_-]{4,}=*/gi,
  },
  {
    kind: "password",
    // Up to the last @ before the path, because a password may contain an @.
    pattern:
      /((?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}:\/\/[^\s:/?#@"'<>[\]]{0,200}:)[^\s/?#"'<>[\]]{1,200}(?=@[^\s@])/g,
  },
  {
    kind: "secret",
    pattern: new RegExp(
      `([?&](?:${keyWords}|key|token|sig|signature|secret|x-amz-signature|x-amz-security-token)=)[^&\\s"'#<>[\\]]{6,}`,
      "gi",
    ),
  },
  {
    kind: "secret",
    pattern: new RegExp(
      `((?:${keyWords})["']?[ \\t]{0,4}[:=][ \\t]{0,4}["']?)(?=[^\\s"'\`,;<>[\\]{}()]{0,200}[0-9/+=_-])[^\\s"'\`,;<>[\\]{}()]{8,}`,
      "gi",
    ),
  },
];

const keyBegin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const keyEnd = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** Characters inside an unfinished private key: base64, white space and escaped line breaks. */
const keyBody = /(?:[A-Za-z0-9+/=\s]|\\n|\\r)*/y;

/** Not a single pattern: it would search for the end again from each begin. */
function maskPrivateKeys(text: string): string {
  let masked = "";
  let from = 0;
  let end: { at: number; length: number } | null = { at: -1, length: 0 };
  keyBegin.lastIndex = 0;
  for (let begin = keyBegin.exec(text); begin !== null; begin = keyBegin.exec(text)) {
    const body = begin.index + begin[0].length;
    if (end !== null && end.at < body) {
      keyEnd.lastIndex = body;
      const found = keyEnd.exec(text);
      end = found === null ? null : { at: found.index, length: found[0].length };
    }
    keyBody.lastIndex = body;
    keyBody.test(text);
    const stop = end === null ? Math.max(body, keyBody.lastIndex) : end.at + end.length;
    masked += text.slice(from, begin.index) + mask("private key");
    from = stop;
    keyBegin.lastIndex = stop;
  }
  return masked + text.slice(from);
}

function maskOnce(text: string): string {
  let masked = maskPrivateKeys(text);
  for (const { kind, pattern } of whole) masked = masked.replace(pattern, mask(kind));
  for (const { kind, pattern } of after)
    masked = masked.replace(pattern, (_, kept: string) => kept + mask(kind));
  return masked;
}

const rounds = 4;

export function maskSecrets(text: string): string {
  let current = text;
  for (let round = 0; round < rounds; round += 1) {
    const next = maskOnce(current);
    if (next === current) return next;
    current = next;
  }
  return current;
}

const secretKey = new RegExp(`^(?:${keyWords}|authorization|cookie|set-cookie|x-api-key)$`, "i");

export function maskValue(value: JsonValue): JsonValue {
  if (typeof value === "string") return maskSecrets(value);
  if (Array.isArray(value)) return value.map((item) => maskValue(item));
  if (typeof value !== "object" || value === null) return value;
  // Media data matches patterns by chance.
  const isMedia = value["type"] === "image" || value["type"] === "audio";
  return Object.fromEntries(
    Object.entries(value).map(([key, item]): [string, JsonValue] => {
      if (isMedia && key === "data") return [key, item];
      if (secretKey.test(key) && typeof item === "string" && item !== "")
        return [key, mask("secret")];
      return [maskSecrets(key), maskValue(item)];
    }),
  );
}
