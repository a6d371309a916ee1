CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`finder` text,
	`name` text,
	`key_id` text,
	`sealed` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_finder` ON `users` (`tenant_id`,`finder`);--> statement-breakpoint
CREATE INDEX `users_tenant` ON `users` (`tenant_id`,`id`);--> statement-breakpoint
ALTER TABLE `api_keys` ADD `user_id` text;--> statement-breakpoint
CREATE INDEX `api_keys_user` ON `api_keys` (`tenant_id`,`user_id`) WHERE "api_keys"."user_id" is not null;