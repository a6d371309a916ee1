export interface Sides {
  width: number;
  height: number;
}

type ReadBytes = (from: number, length: number) => DataView;

const readerOf =
  (base64: string): ReadBytes =>
  (from, length) => {
    const text = atob(
      base64.slice(Math.floor(from / 3) * 4, Math.ceil((from + length) / 3) * 4),
    ).slice(from % 3, (from % 3) + length);
    return new DataView(Uint8Array.from(text, (byte) => byte.charCodeAt(0)).buffer);
  };

/** A photo has about ten segments before its frame. */
const maxSegments = 1_000;

const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

/** Source: ITU-T T.81, annex B. */
function jpegSides(read: ReadBytes): Sides | null {
  let at = 2;
  for (let segment = 0; segment < maxSegments; segment += 1) {
    const head = read(at, 9);
    if (head.getUint8(0) !== 0xff) return null;
    const marker = head.getUint8(1);
    if (marker === 0xda || marker === 0xd9) return null;
    if (isFrame(marker)) return { width: head.getUint16(7), height: head.getUint16(5) };
    const isFill = marker === 0xff;
    const isBare = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
    at += isFill ? 1 : isBare ? 2 : 2 + head.getUint16(2);
  }
  return null;
}

const uint24 = (view: DataView, at: number): number =>
  view.getUint16(at, true) + view.getUint8(at + 2) * 65_536;

/** Sources: RFC 9649, sections 2.5 to 2.7; RFC 6386, section 9.1 (lossy). */
function webpSides(read: ReadBytes): Sides | null {
  const head = read(0, 30);
  const kind = String.fromCharCode(...[12, 13, 14, 15].map((at) => head.getUint8(at)));
  if (kind === "VP8X") return { width: uint24(head, 24) + 1, height: uint24(head, 27) + 1 };
  if (kind === "VP8 ")
    return { width: head.getUint16(26, true) & 0x3fff, height: head.getUint16(28, true) & 0x3fff };
  if (kind !== "VP8L") return null;
  const bits = head.getUint32(21, true);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

function pngSides(read: ReadBytes): Sides {
  const head = read(16, 8);
  return { width: head.getUint32(0), height: head.getUint32(4) };
}

function gifSides(read: ReadBytes): Sides {
  const head = read(6, 4);
  return { width: head.getUint16(0, true), height: head.getUint16(2, true) };
}

const readers: ReadonlyMap<string, (read: ReadBytes) => Sides | null> = new Map([
  ["image/png", pngSides],
  ["image/jpeg", jpegSides],
  ["image/webp", webpSides],
  ["image/gif", gifSides],
]);

export function sidesOf(base64: string, format: string): Sides | null {
  try {
    return readers.get(format)?.(readerOf(base64)) ?? null;
  } catch {
    // `DataView` throws beyond the end, and `atob` throws on invalid base64.
    return null;
  }
}
