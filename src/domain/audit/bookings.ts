/** Under which models the usage of a call is booked. */
import type { Settlement } from "./record.ts";
import { asReadable } from "../magnitudes.ts";
import { nameOf } from "../models/model.ts";

/** One model's part of a call. */
export interface Booking {
  /** null: the model that the request itself counts under */
  model: string | null;
  /** 1 in one booking of a call, 0 in the others */
  requests: number;
  inputTokens: number;
  outputTokens: number;
  costMicroUsd: number;
}

/**
 * The request counts once. What each attempt used and cost is booked under the model that was called. What no
 * attempt accounts for is booked under the request's own model. So the bookings add up to what the record says.
 */
export function bookingsOf({
  attempts,
  usage,
  costMicroUsd,
}: Pick<Settlement, "attempts" | "usage" | "costMicroUsd">): Booking[] {
  const rest: Booking = {
    model: null,
    requests: 1,
    inputTokens: usage?.inputTokens ?? 0,
    outputTokens: usage?.outputTokens ?? 0,
    costMicroUsd: costMicroUsd ?? 0,
  };
  const byModel = new Map<string, Booking>();
  for (const attempt of attempts) {
    const model = nameOf({ provider: attempt.provider, id: attempt.model });
    const spent = {
      inputTokens: attempt.usage?.inputTokens ?? 0,
      outputTokens: attempt.usage?.outputTokens ?? 0,
      // A sum with an unknown price in it is unknown, so none of its parts is booked either.
      costMicroUsd: costMicroUsd === null ? 0 : (attempt.costMicroUsd ?? 0),
    };
    if (spent.inputTokens + spent.outputTokens + spent.costMicroUsd === 0) continue;
    const booking = byModel.get(model) ?? {
      model,
      requests: 0,
      inputTokens: 0,
      outputTokens: 0,
      costMicroUsd: 0,
    };
    byModel.set(model, booking);
    for (const figure of ["inputTokens", "outputTokens", "costMicroUsd"] as const) {
      booking[figure] += spent[figure];
      rest[figure] -= spent[figure];
    }
  }
  return [rest, ...byModel.values()].map((booking) => ({
    ...booking,
    inputTokens: asReadable(booking.inputTokens) ?? 0,
    outputTokens: asReadable(booking.outputTokens) ?? 0,
    costMicroUsd: asReadable(booking.costMicroUsd) ?? 0,
  }));
}
