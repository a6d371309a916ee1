CREATE TABLE `latencies` (
	`tenant_id` text NOT NULL,
	`width` integer NOT NULL,
	`by` text NOT NULL,
	`at` integer NOT NULL,
	`grouped` text NOT NULL,
	`histogram` text NOT NULL,
	PRIMARY KEY(`tenant_id`, `width`, `by`, `at`, `grouped`)
);
--> statement-breakpoint
CREATE TABLE `latency_cursors` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`seal` integer NOT NULL,
	`position` integer NOT NULL,
	`counted_at` integer NOT NULL
);
