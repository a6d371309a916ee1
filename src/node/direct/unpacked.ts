/** The content codings of an answer, undone as `fetch` undoes them. */
import { PassThrough, Readable, Transform, pipeline } from "node:stream";
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
} from "node:zlib";
import { createAnswerBody, type AnswerBody } from "./answer-body.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Truncated data is decoded as far as possible, as in `fetch`. */
const lenient = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const lenientBrotli = {
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
};
/** More nested codings are an attack. */
const maxCodings = 5;
const zlibMark = 8;

/** `deflate` is zlib or raw; the first byte tells. */
function createInflateEither(): Transform {
  let inner: Transform | null = null;
  const outer: Transform = new Transform({
    transform(piece: Buffer, encoding, done) {
      if (piece.length === 0) return done();
      if (inner === null) {
        const isZlib = ((piece[0] ?? 0) & 15) === zlibMark;
        inner = isZlib ? createInflate(lenient) : createInflateRaw(lenient);
        inner.on("data", (part) => outer.push(part));
        inner.on("error", (cause) => outer.destroy(cause));
      }
      inner.write(piece, encoding, done);
    },
    flush(done) {
      if (inner === null) return done();
      inner.once("end", () => done()).end();
    },
  });
  return outer;
}

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(lenient),
  "x-gzip": () => createGunzip(lenient),
  deflate: createInflateEither,
  br: () => createBrotliDecompress(lenientBrotli),
};

/** Outermost first. null: too many */
export function codingsOf(header: string | null): string[] | null {
  if (header === null || header === "") return [];
  const names = header.toLowerCase().split(",");
  if (names.length > maxCodings) return null;
  const codings = names.map((name) => name.trim()).toReversed();
  // A body in an unknown coding stays as it is.
  return codings.every((name) => Object.hasOwn(decoders, name)) ? codings : [];
}

/** @param brokenBy converts decoding errors for the reader */
export function unpacked(
  packed: AsyncIterable<Bytes>,
  { codings, brokenBy }: { codings: readonly string[]; brokenBy: (cause: unknown) => Error },
): AnswerBody {
  let broken: { cause: unknown } | null = null;
  const source = async function* (): AsyncGenerator<Bytes> {
    const reading = packed[Symbol.asyncIterator]();
    const next = (): ReturnType<typeof reading.next> =>
      reading.next().catch((cause: unknown) => {
        broken = { cause };
        throw cause;
      });
    try {
      for (let read = await next(); read.done !== true; read = await next()) yield read.value;
    } finally {
      await reading.return?.();
    }
  };
  const steps = codings.flatMap((name) => decoders[name]?.() ?? []);
  const last = steps.at(-1) ?? new PassThrough();
  const arriving = createAnswerBody({
    resume: () => void last.resume(),
    cancel: () => void last.destroy(),
  });
  last.on("data", (piece: Bytes) => {
    if (!arriving.push(piece)) last.pause();
  });
  pipeline([Readable.from(source()), ...steps], (cause) => {
    if (cause) arriving.fail(broken === null ? brokenBy(cause) : broken.cause);
    else arriving.end();
  });
  return arriving.body;
}
