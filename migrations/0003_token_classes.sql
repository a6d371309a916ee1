ALTER TABLE `sampling_requests` ADD `usage_classes` text;--> statement-breakpoint
ALTER TABLE `sampling_requests` ADD `usage_implausible` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `sampling_requests` ADD `record_version` integer DEFAULT 1 NOT NULL;