/** Random bytes by the handful, from a store that is filled by the thousand. */

type Bytes = Uint8Array<ArrayBuffer>;

const stored = 1_024;

/**
 * No byte is given twice, and none is kept once it was given.
 * @param fill from a secure source. Never called before bytes are asked for: the Workers runtime has none for a
 * script that only loads.
 */
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
