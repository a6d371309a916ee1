CREATE TABLE `oauth_entries` (
	`tenant_id` text NOT NULL,
	`key` text NOT NULL,
	`value` text NOT NULL,
	`version` text NOT NULL,
	`expires_at` integer,
	PRIMARY KEY(`tenant_id`, `key`)
);
--> statement-breakpoint
CREATE INDEX `oauth_entries_expiry` ON `oauth_entries` (`expires_at`);--> statement-breakpoint
ALTER TABLE `servers` ADD `auth` text DEFAULT 'keys' NOT NULL;