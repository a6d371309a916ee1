CREATE TABLE `admin_events` (
	`id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`actor` text NOT NULL,
	`action` text NOT NULL,
	`tenant_id` text,
	`target` text NOT NULL,
	`detail` text NOT NULL,
	`delivered` integer DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE INDEX `admin_events_tenant` ON `admin_events` (`tenant_id`,`id`);--> statement-breakpoint
CREATE INDEX `admin_events_outbox` ON `admin_events` (`id`) WHERE "admin_events"."delivered" = 0;--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`secret_hash` text NOT NULL,
	`code` text NOT NULL,
	`given_to` text DEFAULT '[]' NOT NULL,
	`scopes` text NOT NULL,
	`limits` text NOT NULL,
	`expires_at` integer,
	`revoked_at` integer,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`user_id` text
);
--> statement-breakpoint
CREATE INDEX `api_keys_tenant` ON `api_keys` (`tenant_id`,`id`);--> statement-breakpoint
CREATE INDEX `api_keys_user` ON `api_keys` (`tenant_id`,`user_id`) WHERE "api_keys"."user_id" is not null;--> statement-breakpoint
CREATE TABLE `captures` (
	`request_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`sealed` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `captures_tenant` ON `captures` (`tenant_id`,`request_id`);--> statement-breakpoint
CREATE TABLE `catalogue_meta` (
	`id` integer PRIMARY KEY NOT NULL,
	`version` text,
	`synced_at` integer,
	`due_at` integer NOT NULL,
	`seed_version` text,
	`fault` text
);
--> statement-breakpoint
CREATE TABLE `catalogues` (
	`provider` text PRIMARY KEY NOT NULL,
	`models` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `credentials` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`provider` text NOT NULL,
	`name` text NOT NULL,
	`base_url` text,
	`place` text,
	`models` text,
	`header_names` text,
	`status` text NOT NULL,
	`sealed` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`listing` text,
	`last_check` text,
	`listing_due_at` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `credentials_tenant` ON `credentials` (`tenant_id`,`id`);--> statement-breakpoint
CREATE INDEX `credentials_failing` ON `credentials` (`tenant_id`,`id`) WHERE "credentials"."status" = 'failing';--> statement-breakpoint
CREATE TABLE `sampling_requests` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`key_id` text NOT NULL,
	`session_id` text,
	`server_id` text,
	`tool` text,
	`client_name` text,
	`client_version` text,
	`revision` text,
	`created_at` integer NOT NULL,
	`content_sha256` text NOT NULL,
	`outcome` text NOT NULL,
	`reason` text,
	`reason_detail` text,
	`model` text,
	`settlement` text,
	`admitted_at` integer,
	`lease_until` integer,
	`first_lease` integer,
	`lease_code` text,
	`reserved_tokens` integer,
	`reserved_micro_usd` integer,
	`input_tokens` integer,
	`output_tokens` integer,
	`usage_estimated` integer,
	`media_usage` text,
	`usage_classes` text,
	`usage_implausible` integer DEFAULT false NOT NULL,
	`cost_micro_usd` integer,
	`overshoot` integer NOT NULL,
	`correction` text,
	`timing` text,
	`total_ms` integer,
	`overhead_ms` integer,
	`settled_at` integer,
	`retry_after_ms` integer,
	`refused_check` integer,
	`seal_number` integer,
	`seal_position` integer,
	`former_seal` integer,
	`former_position` integer,
	`record_number` integer NOT NULL,
	`opening_code` text NOT NULL,
	`ending_code` text,
	`correction_code` text,
	`asked` text,
	`decision` text,
	`attempts` text NOT NULL,
	`limit_checks` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sampling_requests_waiting` ON `sampling_requests` (`tenant_id`,`record_number`) WHERE "sampling_requests"."seal_number" is null and "sampling_requests"."outcome" <> 'admitted';--> statement-breakpoint
CREATE INDEX `sampling_requests_chain` ON `sampling_requests` (`tenant_id`,`seal_number`,`seal_position`) WHERE "sampling_requests"."seal_number" is not null;--> statement-breakpoint
CREATE INDEX `sampling_requests_tenant` ON `sampling_requests` (`tenant_id`,`id`,`created_at`,`outcome`,`model`,`key_id`,`session_id`);--> statement-breakpoint
CREATE INDEX `sampling_requests_live` ON `sampling_requests` (`tenant_id`,`key_id`,`server_id`,`lease_until`) WHERE "sampling_requests"."outcome" = 'admitted';--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`key_id` text NOT NULL,
	`revision` text NOT NULL,
	`capabilities` text NOT NULL,
	`client_info` text NOT NULL,
	`server_id` text,
	`upstream_id` text,
	`advertisedCapabilities` text,
	`bridge` text,
	`client_stream_until` integer,
	`router_stream_until` integer,
	`parked_until` integer,
	`created_at` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sessions_tenant` ON `sessions` (`tenant_id`,`id`);--> statement-breakpoint
CREATE INDEX `sessions_key` ON `sessions` (`tenant_id`,`key_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_upstream` ON `sessions` (`tenant_id`,`server_id`,`key_id`,`upstream_id`) WHERE "sessions"."server_id" is not null;--> statement-breakpoint
CREATE INDEX `sessions_bridge` ON `sessions` (`tenant_id`,`key_id`,`server_id`,"bridge" ->> 'key') WHERE "sessions"."bridge" is not null;--> statement-breakpoint
CREATE INDEX `sessions_parked` ON `sessions` (`tenant_id`,`parked_until`) WHERE "sessions"."parked_until" is not null;--> statement-breakpoint
CREATE INDEX `sessions_expiry` ON `sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `tenants` (
	`id` text PRIMARY KEY NOT NULL,
	`slug` text NOT NULL,
	`name` text NOT NULL,
	`policy` text NOT NULL,
	`ceiling` text NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`residency` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tenants_slug_unique` ON `tenants` (`slug`);--> statement-breakpoint
CREATE TABLE `alerts` (
	`tenant_id` text NOT NULL,
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`subject` text NOT NULL,
	`name` text NOT NULL,
	`threshold` integer NOT NULL,
	`period_from` integer NOT NULL,
	`period_until` integer,
	`limit_amount` real,
	`used_amount` real,
	`at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `alerts_once` ON `alerts` (`tenant_id`,`kind`,`subject`,`name`,`threshold`,`period_from`);--> statement-breakpoint
CREATE INDEX `alerts_period` ON `alerts` (`period_until`);--> statement-breakpoint
CREATE TABLE `approvals` (
	`tenant_id` text NOT NULL,
	`request_id` text NOT NULL,
	`stage` text NOT NULL,
	`key_id` text NOT NULL,
	`state` text NOT NULL,
	`created_at` integer NOT NULL,
	`deadline` integer NOT NULL,
	`on_timeout` text NOT NULL,
	`conditions` text NOT NULL,
	`content_hash` text NOT NULL,
	`decided_at` integer,
	`decided_by` text,
	`decided_by_subject` text,
	`is_own` integer DEFAULT false NOT NULL,
	`comment` text,
	`edited` text,
	`code` text,
	`webhook_url` text,
	`notice` text,
	`nonce` text,
	`is_open` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `request_id`, `stage`)
);
--> statement-breakpoint
CREATE INDEX `approvals_open` ON `approvals` (`tenant_id`,`state`,`deadline`) WHERE "approvals"."is_open" = 1;--> statement-breakpoint
CREATE TABLE `console_sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text,
	`kind` text NOT NULL,
	`subject` text NOT NULL,
	`issuer` text,
	`name` text,
	`user_id` text,
	`role` text NOT NULL,
	`secret_hash` text NOT NULL,
	`proof` text NOT NULL,
	`code` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `console_sessions_subject` ON `console_sessions` (`tenant_id`,`kind`,`subject`,`id`);--> statement-breakpoint
CREATE INDEX `console_sessions_expiry` ON `console_sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `sign_ins` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`issuer` text NOT NULL,
	`sealed` text NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `delivered_latencies` (
	`width` integer NOT NULL,
	`at` integer NOT NULL,
	`tenant_id` text NOT NULL,
	`model` text NOT NULL,
	`histogram` text NOT NULL,
	PRIMARY KEY(`width`, `at`, `tenant_id`, `model`)
);
--> statement-breakpoint
CREATE INDEX `delivered_latencies_tenant` ON `delivered_latencies` (`tenant_id`);--> statement-breakpoint
CREATE TABLE `delivered_usage` (
	`hour` integer NOT NULL,
	`tenant_id` text NOT NULL,
	`model` text NOT NULL,
	`succeeded` integer NOT NULL,
	`failed` integer NOT NULL,
	`refused` integer NOT NULL,
	`cancelled` integer NOT NULL,
	`unknown` integer NOT NULL,
	`input_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	`cost_micro_usd` integer NOT NULL,
	PRIMARY KEY(`hour`, `tenant_id`, `model`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `delivered_usage_tenant` ON `delivered_usage` (`tenant_id`);--> statement-breakpoint
CREATE TABLE `deliveries` (
	`database` text PRIMARY KEY NOT NULL,
	`version` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `outbox` (
	`id` integer PRIMARY KEY NOT NULL,
	`version` integer NOT NULL,
	`since` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `placements` (
	`slug` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`database` text NOT NULL,
	`name` text DEFAULT '' NOT NULL,
	`created_at` integer DEFAULT 0 NOT NULL,
	`residency` text,
	`state` text DEFAULT 'active' NOT NULL,
	`sealed_by` text
);
--> statement-breakpoint
CREATE INDEX `placements_database` ON `placements` (`database`);--> statement-breakpoint
CREATE INDEX `placements_tenant` ON `placements` (`tenant_id`);--> statement-breakpoint
CREATE TABLE `usage_totals` (
	`width` integer NOT NULL,
	`at` integer NOT NULL,
	`model` text NOT NULL,
	`succeeded` integer NOT NULL,
	`failed` integer NOT NULL,
	`refused` integer NOT NULL,
	`cancelled` integer NOT NULL,
	`unknown` integer NOT NULL,
	`input_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	`cost_micro_usd` integer NOT NULL,
	PRIMARY KEY(`width`, `at`, `model`)
);
--> statement-breakpoint
CREATE TABLE `circuits` (
	`tenant_id` text NOT NULL,
	`scope` text NOT NULL,
	`faults` text NOT NULL,
	`probe_id` text,
	`probe_until` integer,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `scope`)
);
--> statement-breakpoint
CREATE INDEX `circuits_updated` ON `circuits` (`updated_at`);--> statement-breakpoint
CREATE TABLE `health` (
	`tenant_id` text NOT NULL,
	`credential_id` text NOT NULL,
	`model` text NOT NULL,
	`samples` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `credential_id`, `model`)
);
--> statement-breakpoint
CREATE INDEX `health_updated` ON `health` (`updated_at`);--> statement-breakpoint
CREATE TABLE `model_overrides` (
	`tenant_id` text NOT NULL,
	`provider` text NOT NULL,
	`model` text NOT NULL,
	`change` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `provider`, `model`)
);
--> statement-breakpoint
CREATE TABLE `latencies` (
	`tenant_id` text NOT NULL,
	`width` integer NOT NULL,
	`by` text NOT NULL,
	`at` integer NOT NULL,
	`grouped` text NOT NULL,
	`histogram` text NOT NULL,
	`delivered` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`tenant_id`, `width`, `by`, `at`, `grouped`)
);
--> statement-breakpoint
CREATE INDEX `latencies_outbox` ON `latencies` (`tenant_id`) WHERE "latencies"."delivered" <> 1 and "latencies"."by" = 'model';--> statement-breakpoint
CREATE TABLE `latency_cursors` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`seal` integer NOT NULL,
	`position` integer NOT NULL,
	`counted_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `counters` (
	`tenant_id` text NOT NULL,
	`subject` text NOT NULL,
	`resource` text NOT NULL,
	`bucket` integer NOT NULL,
	`amount` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `subject`, `resource`, `bucket`)
);
--> statement-breakpoint
CREATE INDEX `counters_bucket` ON `counters` (`resource`,`bucket`);--> statement-breakpoint
CREATE TABLE `grouped_usage` (
	`tenant_id` text NOT NULL,
	`kind` text NOT NULL,
	`hour` integer NOT NULL,
	`name` text NOT NULL,
	`succeeded` integer NOT NULL,
	`failed` integer NOT NULL,
	`refused` integer NOT NULL,
	`cancelled` integer NOT NULL,
	`unknown` integer NOT NULL,
	`input_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	`cost_micro_usd` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `kind`, `hour`, `name`)
);
--> statement-breakpoint
CREATE TABLE `idempotency` (
	`tenant_id` text NOT NULL,
	`key_id` text NOT NULL,
	`server_id` text NOT NULL,
	`idempotency_key` text NOT NULL,
	`request_id` text NOT NULL,
	`content_sha256` text NOT NULL,
	`replays` integer NOT NULL,
	`delivered` integer,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `key_id`, `server_id`, `idempotency_key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_request` ON `idempotency` (`request_id`);--> statement-breakpoint
CREATE INDEX `idempotency_expiry` ON `idempotency` (`expires_at`);--> statement-breakpoint
CREATE TABLE `ledger_journal` (
	`place` integer PRIMARY KEY NOT NULL,
	`number` integer NOT NULL,
	`entry` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `results` (
	`tenant_id` text NOT NULL,
	`request_id` text NOT NULL,
	`part` integer NOT NULL,
	`sealed` text NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `request_id`, `part`)
);
--> statement-breakpoint
CREATE INDEX `results_expiry` ON `results` (`expires_at`);--> statement-breakpoint
CREATE TABLE `usage` (
	`tenant_id` text NOT NULL,
	`hour` integer NOT NULL,
	`key_id` text NOT NULL,
	`server_id` text NOT NULL,
	`model` text NOT NULL,
	`succeeded` integer NOT NULL,
	`failed` integer NOT NULL,
	`refused` integer NOT NULL,
	`cancelled` integer NOT NULL,
	`unknown` integer NOT NULL,
	`input_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	`cost_micro_usd` integer NOT NULL,
	`delivered` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`tenant_id`, `hour`, `key_id`, `server_id`, `model`)
);
--> statement-breakpoint
CREATE TABLE `oauth_entries` (
	`tenant_id` text NOT NULL,
	`key` text NOT NULL,
	`value` text NOT NULL,
	`version` text NOT NULL,
	`code` text NOT NULL,
	`expires_at` integer,
	PRIMARY KEY(`tenant_id`, `key`)
);
--> statement-breakpoint
CREATE INDEX `oauth_entries_expiry` ON `oauth_entries` (`expires_at`);--> statement-breakpoint
CREATE TABLE `write_probes` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `audit_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`public_key` text NOT NULL,
	`created_at` integer NOT NULL,
	`code` text NOT NULL,
	`delivered` integer DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE `job_leases` (
	`job` text PRIMARY KEY NOT NULL,
	`until` integer NOT NULL,
	`cursor` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `record_numbers` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`last` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sealing` (
	`key_id` text PRIMARY KEY NOT NULL,
	`step` text NOT NULL,
	`since` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `seals` (
	`tenant_id` text NOT NULL,
	`number` integer NOT NULL,
	`version` integer NOT NULL,
	`previous` text NOT NULL,
	`root` text NOT NULL,
	`count` integer NOT NULL,
	`first_created_at` integer NOT NULL,
	`last_created_at` integer NOT NULL,
	`sealed_at` integer NOT NULL,
	`key_id` text NOT NULL,
	`signature` text NOT NULL,
	`checked` text NOT NULL,
	`leaves` text NOT NULL,
	`deletions` text,
	PRIMARY KEY(`tenant_id`, `number`)
);
--> statement-breakpoint
CREATE TABLE `unreadable_records` (
	`tenant_id` text NOT NULL,
	`request_id` text NOT NULL,
	`problem` text NOT NULL,
	`found_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `request_id`)
);
--> statement-breakpoint
CREATE TABLE `authorizations` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`server_id` text NOT NULL,
	`user_id` text,
	`shown` text,
	`actor` text NOT NULL,
	`sealed` text NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `authorizations_server` ON `authorizations` (`tenant_id`,`server_id`);--> statement-breakpoint
CREATE INDEX `authorizations_expiry` ON `authorizations` (`expires_at`);--> statement-breakpoint
CREATE TABLE `credential_tokens` (
	`tenant_id` text NOT NULL,
	`credential_id` text NOT NULL,
	`sealed` text,
	`generation` text NOT NULL,
	`expires_at` integer,
	`lease` text,
	`lease_until` integer NOT NULL,
	`fault` text,
	PRIMARY KEY(`tenant_id`, `credential_id`)
);
--> statement-breakpoint
CREATE TABLE `server_tokens` (
	`tenant_id` text NOT NULL,
	`server_id` text NOT NULL,
	`sealed` text,
	`generation` text NOT NULL,
	`expires_at` integer,
	`lease` text,
	`lease_until` integer NOT NULL,
	`fault` text,
	PRIMARY KEY(`tenant_id`, `server_id`)
);
--> statement-breakpoint
CREATE TABLE `servers` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`slug` text NOT NULL,
	`url` text NOT NULL,
	`header_names` text NOT NULL,
	`pass_headers` text DEFAULT '[]' NOT NULL,
	`forward_authorization` integer NOT NULL,
	`sampling` text NOT NULL,
	`supported_modalities` integer NOT NULL,
	`auth` text DEFAULT 'keys' NOT NULL,
	`bridge` text DEFAULT 'fallback' NOT NULL,
	`parking` integer DEFAULT false NOT NULL,
	`policy` text NOT NULL,
	`oauth` text,
	`learned` text NOT NULL,
	`status` text NOT NULL,
	`sealed` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `servers_tenant` ON `servers` (`tenant_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `servers_slug` ON `servers` (`tenant_id`,`slug`);--> statement-breakpoint
CREATE INDEX `servers_failing` ON `servers` (`tenant_id`,`id`) WHERE "servers"."status" = 'failing';--> statement-breakpoint
CREATE TABLE `user_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`user_id` text NOT NULL,
	`shown` text NOT NULL,
	`server_id` text NOT NULL,
	`sealed` text,
	`generation` text NOT NULL,
	`expires_at` integer,
	`lease` text,
	`lease_until` integer NOT NULL,
	`fault` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `user_tokens_of` ON `user_tokens` (`tenant_id`,`user_id`,`shown`,`server_id`);--> statement-breakpoint
CREATE INDEX `user_tokens_server` ON `user_tokens` (`tenant_id`,`server_id`);--> statement-breakpoint
CREATE TABLE `cancellations` (
	`tenant_id` text NOT NULL,
	`session_id` text NOT NULL,
	`message_id` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `session_id`, `message_id`)
);
--> statement-breakpoint
CREATE INDEX `cancellations_at` ON `cancellations` (`at`);--> statement-breakpoint
CREATE TABLE `questions` (
	`tenant_id` text NOT NULL,
	`session_id` text NOT NULL,
	`id` text NOT NULL,
	`asked_of` text NOT NULL,
	`deadline` integer NOT NULL,
	`content` text,
	`answer` text,
	PRIMARY KEY(`tenant_id`, `session_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `questions_deadline` ON `questions` (`deadline`);--> statement-breakpoint
CREATE TABLE `audit_sinks` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`delivered` integer NOT NULL,
	`planned` integer,
	`attempts` integer NOT NULL,
	`next_at` integer NOT NULL,
	`behind_since` integer,
	`fault` text
);
--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`finder` text,
	`name` text,
	`key_id` text,
	`role` text,
	`signed_in_at` integer,
	`sealed` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_finder` ON `users` (`tenant_id`,`finder`);--> statement-breakpoint
CREATE INDEX `users_tenant` ON `users` (`tenant_id`,`id`);--> statement-breakpoint
CREATE TABLE `webhook_messages` (
	`tenant_id` text NOT NULL,
	`id` text NOT NULL,
	`url` text NOT NULL,
	`body` text NOT NULL,
	`state` text DEFAULT 'pending' NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`next_at` integer,
	`ended_at` integer,
	`status` integer,
	`fault` text,
	PRIMARY KEY(`tenant_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `webhook_messages_due` ON `webhook_messages` (`next_at`) WHERE "webhook_messages"."next_at" is not null;--> statement-breakpoint
CREATE INDEX `webhook_messages_ended` ON `webhook_messages` (`ended_at`) WHERE "webhook_messages"."ended_at" is not null;--> statement-breakpoint
CREATE TABLE `webhook_secrets` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`sealed` text NOT NULL,
	`destination` text,
	`created_at` integer NOT NULL,
	`ends_at` integer
);
--> statement-breakpoint
CREATE INDEX `webhook_secrets_tenant` ON `webhook_secrets` (`tenant_id`,`id`);--> statement-breakpoint
CREATE INDEX `webhook_secrets_end` ON `webhook_secrets` (`ends_at`) WHERE "webhook_secrets"."ends_at" is not null;