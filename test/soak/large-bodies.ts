/** Bodies that are expensive to parse, or as large as a body may be. */
const bytes = 11_000_000;
const wrapped = (params: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"x":${params}}}`;
const times = (text: string): string => text.repeat(Math.floor(bytes / text.length));

export const bodies: Record<string, () => string> = {
  "nested arrays": () => wrapped(times("[")),
  "empty arrays": () => wrapped(`[${times("[],")}[]]`),
  "900,000 keys": () =>
    wrapped(`{${Array.from({ length: 900_000 }, (_, i) => `"k${i}":1`).join()}}`),
  numbers: () => wrapped(`[${times("1,")}1]`),
  escapes: () => wrapped(`"${times("\\n")}"`),
  "an image": () =>
    wrapped("1").replace(
      '"x":1',
      `"maxTokens":10,"messages":[{"role":"user","content":{"type":"image","mimeType":"image/png","data":"${times("AAAA")}"}}]`,
    ),
  "a body beyond the bound": () => wrapped(`"${times("A").repeat(2)}"`),
};
