/** The columns of an export as CSV. */
import { expect, it } from "vitest";
import { csvColumns } from "../../../src/domain/audit/csv.ts";
import type { TokenClasses } from "../../../src/domain/usage.ts";

/** Every class, so that a new one can't be forgotten here. */
const classes: Record<keyof TokenClasses, true> = {
  cacheReadTokens: true,
  cacheReadAudioTokens: true,
  cacheWriteTokens: true,
  cacheWriteHourTokens: true,
  audioInputTokens: true,
  reasoningTokens: true,
};

it("has a column for each class of tokens", () => {
  expect(csvColumns).toEqual(expect.arrayContaining(Object.keys(classes)));
});

it("keeps each column where readers by position found it", () => {
  expect(csvColumns.join()).toBe(
    "id,createdAt,settledAt,outcome,reason,reasonDetail,model,keyId,sessionId,serverId,tool,clientName," +
      "clientVersion,revision,attempts,inputTokens,outputTokens,usageEstimated,costMicroUsd,reservedTokens," +
      "overshoot,totalMs,overheadMs,contentSha256,seal,position,cacheReadTokens,cacheWriteTokens," +
      "cacheWriteHourTokens,audioInputTokens,reasoningTokens,usageImplausible,user,cacheReadAudioTokens,admittedAt",
  );
});
