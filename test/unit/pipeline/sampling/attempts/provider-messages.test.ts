/** Provider messages are shown to the tenant's own callers only. */
import { describe, expect, it } from "vitest";
import type { Policy } from "../../../../../src/domain/choice/policy.ts";
import { err } from "../../../../../src/domain/result.ts";
import { providerMessages } from "../../../../../src/pipeline/sampling/attempts/provider-messages.ts";

const attempt = (model: string) => ({ provider: "a", model, status: 400, retryable: false });
const failed = (...models: string[]) =>
  err({ reason: "provider_failed" as const, attempts: models.map(attempt) });
const said = (model: string, message: string) => ({ provider: "a", model, message });

/** What is kept, and the messages of the refusal's attempts, after two calls of which the second's provider spoke. */
function outcome(policy: Policy, asking: "caller" | "server" = "caller") {
  const messages = providerMessages(policy, asking);
  messages.listener.onMessage?.(said("y", "no such tool"));
  const withProviderMessages = messages.withProviderMessages(failed("x", "y"));
  if (withProviderMessages.ok || withProviderMessages.error.reason !== "provider_failed")
    return expect.unreachable();
  return [
    messages.kept().length,
    withProviderMessages.error.attempts.map(({ message }) => message),
  ];
}

describe("what providers said", () => {
  it.each([
    [{}, [1, [undefined, undefined]]],
    [{ providerMessages: false }, [0, [undefined, undefined]]],
    [{ returnProviderMessages: true }, [1, [undefined, "no such tool"]]],
    [{ returnProviderMessages: true, providerMessages: false }, [0, [undefined, "no such tool"]]],
  ])("with the policy %j", (policy, expected) => {
    expect(outcome(policy)).toEqual(expected);
  });

  it("is not for registered servers, nor part of an answer", () => {
    expect(outcome({ returnProviderMessages: true }, "server")).toEqual([
      1,
      [undefined, undefined],
    ]);
    const messages = providerMessages({ returnProviderMessages: true }, "caller");
    const refused = err({ reason: "cancelled" as const });
    expect(messages.withProviderMessages(refused)).toBe(refused);
  });

  it("is each attempt's own where a model was asked twice", () => {
    const messages = providerMessages({ returnProviderMessages: true }, "caller");
    for (const text of ["first", "second"]) messages.listener.onMessage?.(said("x", text));
    expect(messages.withProviderMessages(failed("x", "x"))).toMatchObject({
      error: { attempts: [{ message: "first" }, { message: "second" }] },
    });
  });
});
