CREATE TABLE `alerts` (
	`tenant_id` text NOT NULL,
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`subject` text NOT NULL,
	`name` text NOT NULL,
	`share` integer NOT NULL,
	`period_from` integer NOT NULL,
	`period_until` integer,
	`limit_amount` real,
	`used_amount` real,
	`at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `alerts_once` ON `alerts` (`tenant_id`,`kind`,`subject`,`name`,`share`,`period_from`);--> statement-breakpoint
CREATE INDEX `alerts_period` ON `alerts` (`period_until`);--> statement-breakpoint
CREATE INDEX `credentials_failing` ON `credentials` (`tenant_id`,`id`) WHERE "credentials"."status" = 'failing';--> statement-breakpoint
CREATE INDEX `servers_failing` ON `servers` (`tenant_id`,`id`) WHERE "servers"."status" = 'failing';