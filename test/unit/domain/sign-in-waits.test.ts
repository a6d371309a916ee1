import { expect, it } from "vitest";
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

it("addresses of one IPv6 network count as one", () => {
  expect(networkOf("2001:db8:1:2::1")).toBe(networkOf("2001:db8:1:2:ffff::9"));
  expect(networkOf("2001:db8:1:3::1")).not.toBe(networkOf("2001:db8:1:2::1"));
  expect(networkOf("192.0.2.7")).not.toBe(networkOf("192.0.2.8"));
});
