/**
 * Texts that repeat in almost every record, such as names of fields, as one or two bytes. JSON holds no
 * control character, so these stand for phrases, and a text without one is what it is.
 */

// This list only grows at its end: what is stored says a phrase by its place.
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
  // From here on a phrase takes two bytes.
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

/** The bytes 1 to 27 are phrases; 28 to 31 begin one of two bytes, the second of which is printable. */
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
/** The longest phrase counts. */
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

/** @param json without a control character, as `JSON.stringify` makes it */
export const shorten = (json: string): string =>
  json.replaceAll(anyPhrase, (phrase) => codes.get(phrase) ?? phrase);

/** Throws, as `JSON.parse` does, on a code that this version doesn't know. */
export const lengthen = (text: string): string =>
  text.replaceAll(anyCode, (code) => {
    const phrase = meanings.get(code);
    if (phrase === undefined) throw new SyntaxError("a phrase that is not known");
    return phrase;
  });
