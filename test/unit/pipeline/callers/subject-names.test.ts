/** What people call the subjects of limits and alerts. */
import { expect, it } from "vitest";
import { ok } from "../../../../src/domain/result.ts";
import { namesOfSubjects } from "../../../../src/pipeline/callers/subject-names.ts";

const known: Record<string, string> = { ten_1: "Team", key_1: "ci", usr_1: "Ann", srv_1: "notes" };

it("stand by the subject: a tenant, a key, a server, a person, and a run of a key", async () => {
  const asked: string[] = [];
  const names = {
    of: async (_: string, ids: readonly string[]) => {
      asked.push(...ids);
      return ok(Object.fromEntries(Object.entries(known).filter(([id]) => ids.includes(id))));
    },
  };
  const subjects = [
    "ten_1",
    "key_1",
    "srv_1",
    "user:usr_1",
    "run:key_1:nightly:2",
    "tag:key_1",
    "group:eng",
    "key_gone",
  ];
  expect(await namesOfSubjects(names, "ten_1", subjects)).toEqual(
    ok({
      ten_1: "Team",
      key_1: "ci",
      srv_1: "notes",
      "user:usr_1": "Ann",
      "run:key_1:nightly:2": "nightly:2, a run of ci",
    }),
  );
  expect(asked).toContain("usr_1");
});
