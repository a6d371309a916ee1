CREATE TABLE `user_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`user_id` text NOT NULL,
	`server_id` text NOT NULL,
	`sealed` text,
	`generation` text NOT NULL,
	`expires_at` integer,
	`lease` text,
	`lease_until` integer NOT NULL,
	`fault` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `user_tokens_of` ON `user_tokens` (`tenant_id`,`user_id`,`server_id`);--> statement-breakpoint
CREATE INDEX `user_tokens_server` ON `user_tokens` (`tenant_id`,`server_id`);--> statement-breakpoint
ALTER TABLE `authorizations` ADD `user_id` text;