/** Deterministic short hash, not for security: a caller's collisions only affect the caller. */

/** cyrb53: 53 bits. */
function bitsOf(text: string, seed: number): number {
  let high = 0xdeadbeef ^ seed;
  let low = 0x41c6ce57 ^ seed;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 2_654_435_761);
    low = Math.imul(low ^ unit, 1_597_334_677);
  }
  const mix = (word: number, other: number): number =>
    Math.imul(word ^ (word >>> 16), 2_246_822_507) ^
    Math.imul(other ^ (other >>> 13), 3_266_489_909);
  const [first, second] = [mix(high, low), mix(low, high)];
  return 4_294_967_296 * (2_097_151 & second) + (first >>> 0);
}

export const shortHash = (text: string, length: number): string =>
  [bitsOf(text, 0), bitsOf(text, 1)]
    .map((bits) => bits.toString(36).padStart(11, "0").slice(-10))
    .join("")
    .slice(0, length);
