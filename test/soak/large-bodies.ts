/** Bodies that are expensive to parse, or as large as a body may be. */
const bytes = 11_000_000;
const wrapped = (value: string, paramsOf = (x: string): string => `{"x":${x}}`): string =>
  `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":${paramsOf(value)}}`;
/** The signature and IHDR of a PNG of 800 by 600 pixels. */
const png = Buffer.from(
  "89504e470d0a1a0a0000000d49484452000003200000025808020000009a768270000000",
  "hex",
)
  .subarray(0, 33)
  .toString("base64");
const times = (text: string): string => text.repeat(Math.floor(bytes / text.length));

export const bodies: Record<string, () => string> = {
  "nested arrays": () => wrapped(times("[")),
  "empty arrays": () => wrapped(`[${times("[],")}[]]`),
  "900,000 keys": () =>
    wrapped(`{${Array.from({ length: 900_000 }, (_, i) => `"k${i}":1`).join()}}`),
  numbers: () => wrapped(`[${times("1,")}1]`),
  escapes: () => wrapped(`"${times("\\n")}"`),
  /** A call that is answered: the head of a PNG of 800 by 600, and as many bytes as fit behind it. */
  "an image": () =>
    wrapped(
      JSON.stringify({
        maxTokens: 10,
        messages: [
          {
            role: "user",
            content: { type: "image", mimeType: "image/png", data: `${png}${times("AAAA")}` },
          },
        ],
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "soak", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": { sampling: {} },
        },
      }),
      (params) => params,
    ),
  "a body beyond the bound": () => wrapped(`"${times("A").repeat(2)}"`),
};
