CREATE TABLE `audit_sinks` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`delivered` integer NOT NULL,
	`planned` integer,
	`attempts` integer NOT NULL,
	`next_at` integer NOT NULL,
	`behind_since` integer,
	`fault` text
);
