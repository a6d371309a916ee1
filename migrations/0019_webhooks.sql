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
	`created_at` integer NOT NULL,
	`ends_at` integer
);
--> statement-breakpoint
CREATE INDEX `webhook_secrets_tenant` ON `webhook_secrets` (`tenant_id`,`id`);--> statement-breakpoint
CREATE INDEX `webhook_secrets_end` ON `webhook_secrets` (`ends_at`) WHERE "webhook_secrets"."ends_at" is not null;--> statement-breakpoint
ALTER TABLE `approvals` ADD `webhook_url` text;--> statement-breakpoint
ALTER TABLE `approvals` ADD `notice` text;