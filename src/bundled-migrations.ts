/**
 * The migrations as the Worker's bundle has them: a Durable Object can read no folder. `npm run db:generate` makes a
 * migration, and its line is added here; a test says so where it is missing.
 */
import m0000 from "../migrations/0000_house.sql";
import m0001 from "../migrations/0001_answers.sql";
import m0002 from "../migrations/0002_retired.sql";
import m0003 from "../migrations/0003_token_classes.sql";
import m0004 from "../migrations/0004_circuits.sql";
import m0005 from "../migrations/0005_server_bridge.sql";
import m0006 from "../migrations/0006_pass_headers.sql";
import m0007 from "../migrations/0007_pass_headers_of_old_entries.sql";
import m0008 from "../migrations/0008_ceilings.sql";
import m0009 from "../migrations/0009_sealing.sql";
import m0010 from "../migrations/0010_unreadable_records.sql";
import m0011 from "../migrations/0011_record_codes.sql";
import m0012 from "../migrations/0012_write_probes.sql";
import m0013 from "../migrations/0013_fewer_indexes.sql";
import m0014 from "../migrations/0014_console_sessions.sql";
import m0015 from "../migrations/0015_approvals.sql";
import m0016 from "../migrations/0016_outbox.sql";
import m0017 from "../migrations/0017_books_journal.sql";
import m0018 from "../migrations/0018_latencies.sql";
import m0019 from "../migrations/0019_webhooks.sql";
import m0020 from "../migrations/0020_usage_of_tenants.sql";
import m0021 from "../migrations/0021_sealed_by.sql";
import m0022 from "../migrations/0022_sign_ins.sql";
import m0023 from "../migrations/0023_alerts.sql";
import m0024 from "../migrations/0024_oauth_entries.sql";
import m0025 from "../migrations/0025_servers_list.sql";
import m0026 from "../migrations/0026_audit_sinks.sql";
import m0027 from "../migrations/0027_users.sql";
import m0028 from "../migrations/0028_latencies_of_all.sql";
import m0029 from "../migrations/0029_user_tokens.sql";

export const migrations: readonly { name: string; sql: string }[] = [
  { name: "0000_house.sql", sql: m0000 },
  { name: "0001_answers.sql", sql: m0001 },
  { name: "0002_retired.sql", sql: m0002 },
  { name: "0003_token_classes.sql", sql: m0003 },
  { name: "0004_circuits.sql", sql: m0004 },
  { name: "0005_server_bridge.sql", sql: m0005 },
  { name: "0006_pass_headers.sql", sql: m0006 },
  { name: "0007_pass_headers_of_old_entries.sql", sql: m0007 },
  { name: "0008_ceilings.sql", sql: m0008 },
  { name: "0009_sealing.sql", sql: m0009 },
  { name: "0010_unreadable_records.sql", sql: m0010 },
  { name: "0011_record_codes.sql", sql: m0011 },
  { name: "0012_write_probes.sql", sql: m0012 },
  { name: "0013_fewer_indexes.sql", sql: m0013 },
  { name: "0014_console_sessions.sql", sql: m0014 },
  { name: "0015_approvals.sql", sql: m0015 },
  { name: "0016_outbox.sql", sql: m0016 },
  { name: "0017_books_journal.sql", sql: m0017 },
  { name: "0018_latencies.sql", sql: m0018 },
  { name: "0019_webhooks.sql", sql: m0019 },
  { name: "0020_usage_of_tenants.sql", sql: m0020 },
  { name: "0021_sealed_by.sql", sql: m0021 },
  { name: "0022_sign_ins.sql", sql: m0022 },
  { name: "0023_alerts.sql", sql: m0023 },
  { name: "0024_oauth_entries.sql", sql: m0024 },
  { name: "0025_servers_list.sql", sql: m0025 },
  { name: "0026_audit_sinks.sql", sql: m0026 },
  { name: "0027_users.sql", sql: m0027 },
  { name: "0028_latencies_of_all.sql", sql: m0028 },
  { name: "0029_user_tokens.sql", sql: m0029 },
];
