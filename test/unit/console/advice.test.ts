/** Each cause of a failure has advice, so that a request's page ends with what to do. */
import { expect, it } from "vitest";
import { faultAdvice, reasonAdvice } from "../../../src/console/requests/advice.ts";
import { faultCodes } from "../../../src/domain/attempts.ts";

it.each(faultCodes)("has advice for a provider's fault: %s", (code) => {
  expect(faultAdvice(code)).toMatch(/\.$/);
});

it.each(["rate_limit", "server", "network", "timeout", "auth", "unopenable", "invalid_request"])(
  "has advice for a fault without a code: %s",
  (kind) => expect(faultAdvice(kind)).toMatch(/\.$/),
);

it.each(["rate_limited", "budget_exceeded", "no_eligible_model", "unavailable", "stopped"])(
  "has advice for a refusal: %s",
  (reason) => expect(reasonAdvice(reason)).toMatch(/\.$/),
);

it("has none where nothing is to be done", () => {
  expect(faultAdvice("cancelled")).toBeNull();
  expect(reasonAdvice(null)).toBeNull();
});
