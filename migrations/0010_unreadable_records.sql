CREATE TABLE `unreadable_records` (
	`tenant_id` text NOT NULL,
	`request_id` text NOT NULL,
	`problem` text NOT NULL,
	`found_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `request_id`)
);
