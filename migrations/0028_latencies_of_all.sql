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
ALTER TABLE `latencies` ADD `delivered` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `latencies_outbox` ON `latencies` (`tenant_id`) WHERE "latencies"."delivered" <> 1 and "latencies"."by" = 'model';