ALTER TABLE `tenants` ADD `ceiling` text;--> statement-breakpoint
CREATE INDEX `sessions_key` ON `sessions` (`tenant_id`,`key_id`);