/** Failed sign-ins wait longer each time, by address and by key. */
import { describe, expect, it } from "vitest";
import { isNotedFailure, networkOf, waitAfter } from "../../../src/domain/limits/sign-in-waits.ts";

it("an address waits after its fifth failure, twice as long with each, for a minute at most", () => {
  expect([1, 5, 6, 7, 8, 12, 100].map((failures) => waitAfter("address", failures))).toEqual([
    0, 0, 1_000, 2_000, 4_000, 60_000, 60_000,
  ]);
});

it("a key that strangers try keeps its owner waiting for five seconds at most", () => {
  expect([20, 21, 24, 1_000].map((failures) => waitAfter("subject", failures))).toEqual([
    0, 1_000, 5_000, 5_000,
  ]);
});

it("of a thousand failures ten are written down", () => {
  const noted = Array.from({ length: 1_000 }, (_, at) => at + 1).filter(isNotedFailure);
  expect(noted).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512]);
});

describe("the network of an address", () => {
  it.each([
    ["2001:db8:1:2::1", "2001:db8:1:ffff:ffff::9"],
    ["2001:db8::1", "2001:db8::ffff:1"],
    ["2001:db8::1", "2001:0DB8:0:0:9::"],
    ["fe80::1%eth0", "FE80::2%1"],
    ["::1", "0:0:0:0:0:0:0:1"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["::FFFF:c000:207", "192.0.2.7"],
  ])("is the same: %s and %s", (one, other) => {
    expect(networkOf(one)).toBe(networkOf(other));
  });

  it.each([
    ["2001:db8:2::1", "2001:db8:1::1"],
    ["2001:db8::1", "2001:db8:1::1"],
    ["::ffff:192.0.2.7", "::ffff:192.0.2.8"],
    ["192.0.2.7", "192.0.2.8"],
    ["::1", "::ffff:0.0.0.1"],
    ["no:address", "another:address"],
    ["", "192.0.2.7"],
  ])("is another one: %s and %s", (one, other) => {
    expect(networkOf(one)).not.toBe(networkOf(other));
  });
});
