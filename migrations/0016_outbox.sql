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
);
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
ALTER TABLE `usage` ADD `delivered` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `admin_events` ADD `delivered` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `admin_events_outbox` ON `admin_events` (`id`) WHERE "admin_events"."delivered" = 0;--> statement-breakpoint
ALTER TABLE `placements` ADD `name` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `placements` ADD `created_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `placements` ADD `residency` text;--> statement-breakpoint
ALTER TABLE `placements` ADD `state` text DEFAULT 'active' NOT NULL;--> statement-breakpoint
CREATE INDEX `placements_tenant` ON `placements` (`tenant_id`);--> statement-breakpoint
ALTER TABLE `tenants` ADD `residency` text;--> statement-breakpoint
ALTER TABLE `audit_keys` ADD `delivered` integer DEFAULT false NOT NULL;