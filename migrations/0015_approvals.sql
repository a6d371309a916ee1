CREATE TABLE `approvals` (
	`tenant_id` text NOT NULL,
	`request_id` text NOT NULL,
	`stage` text NOT NULL,
	`key_id` text NOT NULL,
	`state` text NOT NULL,
	`created_at` integer NOT NULL,
	`deadline` integer NOT NULL,
	`on_timeout` text NOT NULL,
	`why` text NOT NULL,
	`shown` text NOT NULL,
	`decided_at` integer,
	`decided_by` text,
	`comment` text,
	`edited` text,
	`nonce` text,
	`is_open` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `request_id`, `stage`)
);
--> statement-breakpoint
CREATE INDEX `approvals_open` ON `approvals` (`tenant_id`,`state`,`deadline`) WHERE "approvals"."is_open" = 1;