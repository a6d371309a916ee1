type Bytes = Uint8Array<ArrayBuffer>;

const stored = 1_024;

/** Never returns or keeps a byte twice. @param fill called lazily: Workers have no randomness at load time */
export function createRandomBytes(fill: (bytes: Bytes) => Bytes): (count: number) => Bytes {
  const store = new Uint8Array(stored);
  let left = 0;
  return (count) => {
    if (count > stored) return fill(new Uint8Array(count));
    if (count > left) {
      fill(store);
      left = stored;
    }
    left -= count;
    const given = store.slice(left, left + count);
    store.fill(0, left, left + count);
    return given;
  };
}
