/** Sides of images that an encoder wrote, and of those that are cut or no image. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sidesOf } from "../../../src/domain/image-sides.ts";
import { imageFacts } from "../../../src/domain/media-format.ts";

const head = "/9j/";
const frame = "wAARCAALABcDAREAAhEBAxEB";
const tables = "2wBDAP" + "/".repeat(86) + "2wBDAf" + "/".repeat(86);

/** Each is 23 pixels wide and 11 high. */
const images: Record<string, [format: string, data: string]> = {
  "a JPEG": ["image/jpeg", head + tables + frame + "/8QAFQABAQAA"],
  "a progressive JPEG": ["image/jpeg", head + tables + "wgARCAALABcDASIAAhEBAxEB/8QAFQABAQAA"],
  "a lossy WebP": [
    "image/webp",
    "UklGRjoAAABXRUJQVlA4IC4AAADQAgCdASoXAAsAP83W4mY/tK4nMAgD8DmJQBUehaSAAP7QwI35HO9n0c00AAAA",
  ],
  "a lossless WebP": ["image/webp", "UklGRh4AAABXRUJQVlA4TBEAAAAvFoACAAdQjyKXp/+BiOh/AAA="],
  "a WebP with transparency": [
    "image/webp",
    "UklGRl4AAABXRUJQVlA4WAoAAAAQAAAAFgAACgAAQUxQSAoAAAABB1DAiAhERP8DVlA4IC4AAADQAgCdASoXAAsAP83W4mY/",
  ],
  "a GIF": ["image/gif", "R0lGODlhFwALAIAAAExpccgePCH5BAUAAAAALAAAAAAXAAsAAAINjI+py+0P"],
  "a PNG": ["image/png", "iVBORw0KGgoAAAANSUhEUgAAABcAAAALCAIAAAAbXIEXAAAACXBIWXMAAAPo"],
};

const bytesOf = (base64: string): Buffer => Buffer.from(base64, "base64");

/** A JPEG with a photo's metadata before its frame. */
function withMetadata(bytes: number): string {
  const exif = Buffer.alloc(bytes + 4);
  exif.writeUInt16BE(0xffe1, 0);
  exif.writeUInt16BE(bytes + 2, 2);
  const jpeg = bytesOf(head + tables + frame);
  return Buffer.concat([jpeg.subarray(0, 2), exif, jpeg.subarray(2)]).toString("base64");
}

describe("sides", () => {
  it.each(Object.entries(images))("of %s", (_, [format, data]) => {
    expect(imageFacts({ data, mimeType: "image/bmp" })).toMatchObject({
      format,
      sides: { width: 23, height: 11 },
    });
  });

  it("are found behind metadata of any length", () => {
    for (const bytes of [0, 1, 2, 3, 60_000])
      expect(sidesOf(withMetadata(bytes), "image/jpeg")).toEqual({ width: 23, height: 11 });
  });

  it("are unknown where an image is cut, or has another format", () => {
    for (const [format, data] of Object.values(images)) {
      const cut = bytesOf(data).subarray(0, format === "image/jpeg" ? 100 : 8);
      expect(sidesOf(cut.toString("base64"), format)).toBeNull();
    }
    expect(sidesOf("AAAA", "image/avif")).toBeNull();
    expect(sidesOf("*", "image/png")).toBeNull();
  });

  it("are read in bounded steps, whatever follows the head", () => {
    const fill = Buffer.concat([bytesOf(head).subarray(0, 2), Buffer.alloc(1_000_000, 0xff)]);
    expect(sidesOf(fill.toString("base64"), "image/jpeg")).toBeNull();
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 60 }),
        fc.constantFrom(...Object.values(images)),
        (rest, [format, data]) => {
          const bytes = Buffer.concat([bytesOf(data).subarray(0, 16), rest]);
          const sides = sidesOf(bytes.toString("base64"), format);
          if (sides !== null) expect(sides.width * sides.height).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });
});
