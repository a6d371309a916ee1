/** Every store suite, for one database. */
import { alertsOfNodesSuite } from "./alerts-of-nodes.suite.ts";
import { alertsSuite } from "./alerts.suite.ts";
import { approvalsSuite } from "./approvals.suite.ts";
import { budgetsSuite } from "./budgets.suite.ts";
import { cancellationsSuite } from "./cancellations.suite.ts";
import { questionsSuite } from "./questions.suite.ts";
import { cataloguesSuite } from "./catalogues.suite.ts";
import { correctionsSuite } from "./corrections.suite.ts";
import { claimsSuite } from "./claims.suite.ts";
import { credentialsSuite } from "./credentials.suite.ts";
import { databaseSuite } from "./database.suite.ts";
import { consoleSessionsSuite } from "./console-sessions.suite.ts";
import { requestFeedSuite } from "./request-feed.suite.ts";
import { eventsSuite } from "./events.suite.ts";
import { healthSuite } from "./health.suite.ts";
import { idempotencySuite } from "./idempotency.suite.ts";
import { insiderSuite } from "./insider.suite.ts";
import { isolationSuite } from "./isolation.suite.ts";
import { keysSuite } from "./keys.suite.ts";
import { lateSettlementSuite } from "./late-settlement.suite.ts";
import { ledgerSuite } from "./ledger.suite.ts";
import { latenciesSuite } from "./latencies.suite.ts";
import { limitSumsSuite } from "./limit-sums.suite.ts";
import { migrationsSuite } from "./migrations.suite.ts";
import { nodesSuite } from "./nodes.suite.ts";
import { numbersSuite } from "./numbers.suite.ts";
import { leftoversSuite } from "./leftovers.suite.ts";
import { deletionsSuite } from "./deletions.suite.ts";
import type { Backend } from "./open.ts";
import { oauthEntriesSuite } from "./oauth-entries.suite.ts";
import { usersSuite } from "./users.suite.ts";
import { overridesSuite } from "./overrides.suite.ts";
import { outboxSuite } from "./outbox.suite.ts";
import { placementsSuite } from "./placements.suite.ts";
import { readinessSuite } from "./readiness.suite.ts";
import { resealSuite } from "./reseal.suite.ts";
import { requestsSuite } from "./requests.suite.ts";
import { serverTokensSuite } from "./server-tokens.suite.ts";
import { sealsSuite } from "./seals.suite.ts";
import { serversSuite } from "./servers.suite.ts";
import { sessionLimitsSuite } from "./session-limits.suite.ts";
import { sessionsSuite } from "./sessions.suite.ts";
import { snapshotsSuite } from "./snapshots.suite.ts";
import { tenantsSuite } from "./tenants.suite.ts";
import { thinningSuite } from "./thinning.suite.ts";
import { unreadableSuite } from "./unreadable.suite.ts";
import { topUsageSuite } from "./top-usage.suite.ts";
import { usageSuite } from "./usage.suite.ts";
import { webhooksSuite } from "./webhooks.suite.ts";

/**
 * What the way of a write decides: transactions, conflicts, migrations, and the ledger's limits. A suite that sends
 * the same statements in the same transactions as these is one of the others.
 */
const writing = [
  databaseSuite,
  migrationsSuite,
  readinessSuite,
  healthSuite,
  sessionLimitsSuite,
  ledgerSuite,
  claimsSuite,
  limitSumsSuite,
  nodesSuite,
  idempotencySuite,
  lateSettlementSuite,
  approvalsSuite,
  oauthEntriesSuite,
  usersSuite,
];

/** What is written and read by the same statements everywhere, and the ledger's statements that differ by engine. */
const statements = [
  alertsOfNodesSuite,
  alertsSuite,
  budgetsSuite,
  thinningSuite,
  usageSuite,
  topUsageSuite,
  latenciesSuite,
  outboxSuite,
  correctionsSuite,
  insiderSuite,
  numbersSuite,
  tenantsSuite,
  placementsSuite,
  keysSuite,
  credentialsSuite,
  overridesSuite,
  serversSuite,
  serverTokensSuite,
  sessionsSuite,
  consoleSessionsSuite,
  requestFeedSuite,
  cancellationsSuite,
  questionsSuite,
  cataloguesSuite,
  webhooksSuite,
  snapshotsSuite,
  requestsSuite,
  sealsSuite,
  deletionsSuite,
  resealSuite,
  eventsSuite,
  unreadableSuite,
  isolationSuite,
];

export const storeSuites = (backend: Backend): void => {
  for (const suite of [...writing, ...statements]) suite(backend);
  // The last one: it sees what all others left.
  leftoversSuite(backend);
};

/** For another way of writing to an engine on which all suites run already. */
export const writingSuites = (backend: Backend): void => {
  for (const suite of writing) suite(backend);
  leftoversSuite(backend);
};
