/** Replaces frequent texts by one or two control characters, which JSON never contains. */

// Append only: stored texts refer to a phrase by its index.
const phrases = [
  '{"provider":0,"model":0,"candidates":["',
  '],"excluded":{"no_credential":',
  '},"requirements":{"inputModalities":["text"],"outputModalities":["text"],"tools":false,"inputTokens":',
  ',"inputTokensByFamily":{',
  '},"maxTokens":',
  '},"weights":{"cost":',
  ',"speed":',
  ',"intelligence":',
  '},"estimate":{"inputTokens":',
  ',"outputTokens":',
  ',"costUsd":',
  '},"catalogueVersion":"',
  '","notes":[],"failover":"',
  ',"retired":',
  ',"preview":',
  ',"image_model":',
  ',"output_modality":',
  "0.3333333333333333",
  '[{"is":"',
  '","status":200,"retryable":false,"credentialId":"cred_',
  '","fault":null,"billed":"yes","latencyMs":',
  ',"retryAfterMs":null,"usage":{"inputTokens":',
  ',"estimated":false},"costMicroUsd":',
  '{"messages":1,"characters":',
  ',"inputModalities":["text"],"outputModalities":["text"],"tools":0,"maxTokens":',
  '},"includeContext":"none","temperature":',
  ',"provider":',
  ',"bytes":',
  ',"hints":[',
  '],"priorities":{',
  '{"auth":',
  ',"choose":',
  ',"approve":',
  ',"admit":',
  '"cost":',
  '"speed":',
  '"intelligence":',
  '"anthropic":',
  '"google":',
  '"openai":',
  '"mistral":',
  '"other":',
  '{"provider":"',
  '","model":"',
  ',"candidates":[',
  '],"requirements":{"inputModalities":[',
  ',"inputModalities":[',
  '],"outputModalities":[',
  '],"tools":',
  ',"maxTokens":',
  '","notes":[',
  '],"failover":[',
  '"after":[',
  ',"context_window":',
  ',"input_modality":',
  ',"output_limit":',
  ',"not_allowed":',
  ',"reasoning_room":',
  ',"unknown_price":',
  ',"tools":',
  '},"requirements":{',
  '"reasoning":{',
  '","status":',
  ',"retryable":true',
  ',"retryable":false',
  ',"credentialId":"cred_',
  '","fault":"',
  '","fault":null',
  ',"billed":"',
  ',"latencyMs":',
  ',"retryAfterMs":null',
  ',"reach":"',
  ',"usage":{"inputTokens":',
  ',"estimated":true',
  ',"estimated":false',
  '},"costMicroUsd":',
  ',"classes":{"',
  '"cacheReadTokens":',
  '"cacheWriteTokens":',
  '"reasoningTokens":',
  '{"messages":',
  ',"characters":',
  '"},"includeContext":"',
  ',"temperature":null}',
  '"claude',
  '"sonnet',
  '"gpt',
  '"gemini',
] as const;

/** Bytes 1 to 27 are phrases; 28 to 31 start a pair with a printable second byte. */
const singles = 27;
const printable = 95;
const codeAt = (at: number): string =>
  at < singles
    ? String.fromCharCode(1 + at)
    : String.fromCharCode(
        1 + singles + Math.floor((at - singles) / printable),
        32 + ((at - singles) % printable),
      );

const codes = new Map<string, string>(phrases.map((phrase, at) => [phrase, codeAt(at)]));
const meanings = new Map<string, string>(phrases.map((phrase, at) => [codeAt(at), phrase]));

const escaped = (text: string): string => text.replaceAll(/[[\]{}.]/g, String.raw`\$&`);
const anyPhrase = new RegExp(
  phrases
    .toSorted((a, b) => b.length - a.length)
    .map(escaped)
    .join("|"),
  "g",
);
const character = (code: number): string => String.fromCharCode(code);
const anyCode = new RegExp(
  `[${character(1)}-${character(singles)}]|[${character(singles + 1)}-${character(31)}][^]?`,
  "g",
);

/** @param json without control characters, as from `JSON.stringify` */
export const shorten = (json: string): string =>
  json.replaceAll(anyPhrase, (phrase) => codes.get(phrase) ?? phrase);

/** Throws on unknown codes, as `JSON.parse` does. */
export const lengthen = (text: string): string =>
  text.replaceAll(anyCode, (code) => {
    const phrase = meanings.get(code);
    if (phrase === undefined) throw new SyntaxError("a phrase that is not known");
    return phrase;
  });
