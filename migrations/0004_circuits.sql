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
CREATE INDEX `circuits_updated` ON `circuits` (`updated_at`);