/**
 * The composition root: the files of this room see every floor, and no others do.
 */
import { homeShard, shardOf, shardOfState } from "../domain/tenancy/shards.ts";
import type { Services } from "../http/context.ts";
import {
  createAdminFor,
  createShardedAuditKeys,
  createShardedReadiness,
} from "../pipeline/admin/sharded.ts";
import { createShardedJobs, type Jobs } from "../pipeline/scheduled/jobs.ts";
import { perShard, type Isolate } from "./isolate.ts";
import { createShard, type About, type Everywhere, type Shard } from "./shard.ts";

/** What serves one invocation: the database of the caller's shard is the only one that is opened for it. */
export function createInvocation(
  isolate: Isolate,
  about: About,
): { servicesFor: (token: string | null) => Services; jobs: Jobs } {
  const { shardNames: names, tokens } = isolate;
  const made: (name: string) => Shard = perShard((name) =>
    createShard(isolate, { ...about, name, everywhere }),
  );
  const shards = {
    names,
    get home() {
      return made(homeShard);
    },
    of: (name: string) => (names.includes(name) ? made(name) : null),
  };
  const everywhere: Everywhere = {
    adminFor: (actor, slug) =>
      createAdminFor({ shards, placements: shards.home.placements })(actor, slug),
    readiness: createShardedReadiness(shards),
    auditKeys: createShardedAuditKeys(shards),
    finishAuthorization(query) {
      const shard = shards.of(shardOfState(query.get("state") ?? "")) ?? shards.home;
      return shard.admin.authorizations.finish(query.toString());
    },
  };
  return {
    servicesFor(token) {
      const keyId = names.length === 1 || token === null ? null : tokens.keyIdOf(token);
      const shard = shards.of(keyId === null ? homeShard : shardOf(keyId));
      return shard === null ? shards.home.servicesOfUnknown() : shard.services;
    },
    jobs: () => createShardedJobs(names.map((name) => ({ name, run: made(name).jobs })))(),
  };
}
