/** In the Worker, libSQL's client reads and writes bytes as with js-base64. */
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { Base64 } from "../../../src/start/base64.ts";

it("encodes, and decodes with and without padding", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      const text = Base64.fromUint8Array(bytes);
      expect(text).toBe(Buffer.from(bytes).toString("base64"));
      expect(Base64.toUint8Array(text)).toEqual(bytes);
      expect(Base64.toUint8Array(text.replaceAll("=", ""))).toEqual(bytes);
    }),
  );
});
