CREATE TABLE `answers` (
	`tenant_id` text NOT NULL,
	`digest` text NOT NULL,
	`owner` text NOT NULL,
	`sealed` text,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `digest`)
);
--> statement-breakpoint
CREATE INDEX `answers_expiry` ON `answers` (`expires_at`);--> statement-breakpoint
CREATE TABLE `intercepted` (
	`tenant_id` text NOT NULL,
	`scope` text NOT NULL,
	`message_id` text NOT NULL,
	`digest` text NOT NULL,
	`owner` text NOT NULL,
	`lease_until` integer NOT NULL,
	`sealed` text,
	`delivered` integer,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `scope`, `message_id`, `digest`)
);
--> statement-breakpoint
CREATE INDEX `intercepted_age` ON `intercepted` (`created_at`);--> statement-breakpoint
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
CREATE TABLE `idempotency` (
	`tenant_id` text NOT NULL,
	`key_id` text NOT NULL,
	`server_id` text NOT NULL,
	`idempotency_key` text NOT NULL,
	`request_id` text NOT NULL,
	`content_sha256` text NOT NULL,
	`replays` integer NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `key_id`, `server_id`, `idempotency_key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_request` ON `idempotency` (`request_id`);--> statement-breakpoint
CREATE INDEX `idempotency_expiry` ON `idempotency` (`expires_at`);--> statement-breakpoint
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
	PRIMARY KEY(`tenant_id`, `hour`, `key_id`, `server_id`, `model`)
);
--> statement-breakpoint
CREATE TABLE `admin_events` (
	`id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`actor` text NOT NULL,
	`action` text NOT NULL,
	`tenant_id` text,
	`target` text NOT NULL,
	`detail` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `admin_events_tenant` ON `admin_events` (`tenant_id`,`id`);--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`secret_hash` text NOT NULL,
	`scopes` text NOT NULL,
	`limits` text NOT NULL,
	`expires_at` integer,
	`revoked_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `api_keys_tenant` ON `api_keys` (`tenant_id`,`id`);--> statement-breakpoint
CREATE TABLE `cancellations` (
	`tenant_id` text NOT NULL,
	`session_id` text NOT NULL,
	`message_id` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `session_id`, `message_id`)
);
--> statement-breakpoint
CREATE INDEX `cancellations_at` ON `cancellations` (`at`);--> statement-breakpoint
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
	`models` text,
	`status` text NOT NULL,
	`sealed` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `credentials_tenant` ON `credentials` (`tenant_id`,`id`);--> statement-breakpoint
CREATE TABLE `health` (
	`tenant_id` text NOT NULL,
	`credential_id` text NOT NULL,
	`model` text NOT NULL,
	`samples` text NOT NULL,
	`failures` integer NOT NULL,
	`failed_at` integer,
	`retry_after_ms` integer,
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
CREATE TABLE `placements` (
	`slug` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`shard` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `placements_shard` ON `placements` (`shard`);--> statement-breakpoint
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
	`counted` integer DEFAULT false NOT NULL,
	`settlement` text,
	`lease_until` integer,
	`reserved_tokens` integer,
	`reserved_micro_usd` integer,
	`input_tokens` integer,
	`output_tokens` integer,
	`usage_estimated` integer,
	`media_usage` text,
	`cost_micro_usd` integer,
	`overshoot` integer NOT NULL,
	`correction` text,
	`timing` text,
	`total_ms` integer,
	`overhead_ms` integer,
	`settled_at` integer,
	`retry_after_ms` integer,
	`refused_hold` integer,
	`seal_number` integer,
	`seal_position` integer,
	`asked` text,
	`decision` text,
	`attempts` text NOT NULL,
	`holds` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sampling_requests_unsealed` ON `sampling_requests` (`tenant_id`,`settled_at`,`id`) WHERE "sampling_requests"."seal_number" is null and "sampling_requests"."outcome" <> 'admitted';--> statement-breakpoint
CREATE INDEX `sampling_requests_chain` ON `sampling_requests` (`tenant_id`,`seal_number`,`seal_position`) WHERE "sampling_requests"."seal_number" is not null;--> statement-breakpoint
CREATE INDEX `sampling_requests_tenant` ON `sampling_requests` (`tenant_id`,`id`,`created_at`,`outcome`,`model`,`key_id`,`session_id`);--> statement-breakpoint
CREATE INDEX `sampling_requests_age` ON `sampling_requests` (`tenant_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `sampling_requests_live` ON `sampling_requests` (`tenant_id`,`key_id`,`server_id`,`lease_until`) WHERE "sampling_requests"."outcome" = 'admitted';--> statement-breakpoint
CREATE INDEX `sampling_requests_leases` ON `sampling_requests` (`lease_until`) WHERE "sampling_requests"."outcome" = 'admitted';--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`key_id` text NOT NULL,
	`revision` text NOT NULL,
	`capabilities` text NOT NULL,
	`client_info` text NOT NULL,
	`server_id` text,
	`upstream_id` text,
	`told` text,
	`bridge` text,
	`client_stream_until` integer,
	`router_stream_until` integer,
	`created_at` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sessions_tenant` ON `sessions` (`tenant_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_upstream` ON `sessions` (`tenant_id`,`server_id`,`key_id`,`upstream_id`) WHERE "sessions"."server_id" is not null;--> statement-breakpoint
CREATE INDEX `sessions_bridge` ON `sessions` (`tenant_id`,`key_id`,`server_id`,"bridge" ->> 'key') WHERE "sessions"."bridge" is not null;--> statement-breakpoint
CREATE INDEX `sessions_expiry` ON `sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `tenants` (
	`id` text PRIMARY KEY NOT NULL,
	`slug` text NOT NULL,
	`name` text NOT NULL,
	`policy` text NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tenants_slug_unique` ON `tenants` (`slug`);--> statement-breakpoint
CREATE TABLE `audit_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`public_key` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `job_turns` (
	`job` text PRIMARY KEY NOT NULL,
	`until` integer NOT NULL,
	`cursor` text NOT NULL
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
	`leaves` text NOT NULL,
	PRIMARY KEY(`tenant_id`, `number`)
);
--> statement-breakpoint
CREATE TABLE `authorizations` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`server_id` text NOT NULL,
	`actor` text NOT NULL,
	`sealed` text NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `authorizations_server` ON `authorizations` (`tenant_id`,`server_id`);--> statement-breakpoint
CREATE INDEX `authorizations_expiry` ON `authorizations` (`expires_at`);--> statement-breakpoint
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
	`forward_authorization` integer NOT NULL,
	`sampling` text NOT NULL,
	`supported_modalities` integer NOT NULL,
	`policy` text NOT NULL,
	`oauth` text,
	`learnt` text NOT NULL,
	`status` text NOT NULL,
	`sealed` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `servers_slug` ON `servers` (`tenant_id`,`slug`);