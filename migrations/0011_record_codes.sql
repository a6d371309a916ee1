CREATE TABLE `record_numbers` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`last` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `sampling_requests` ADD `record_number` integer;--> statement-breakpoint
ALTER TABLE `sampling_requests` ADD `opening_code` text;--> statement-breakpoint
ALTER TABLE `sampling_requests` ADD `ending_code` text;--> statement-breakpoint
ALTER TABLE `sampling_requests` ADD `correction_code` text;--> statement-breakpoint
CREATE INDEX `sampling_requests_unsealed_number` ON `sampling_requests` (`tenant_id`,`record_number`) WHERE "sampling_requests"."seal_number" is null and "sampling_requests"."record_number" is not null;--> statement-breakpoint
ALTER TABLE `audit_keys` ADD `code` text;--> statement-breakpoint
ALTER TABLE `seals` ADD `checked` text;