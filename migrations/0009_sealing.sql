CREATE TABLE `sealing` (
	`key_id` text PRIMARY KEY NOT NULL,
	`adopts` integer NOT NULL,
	`step` text NOT NULL,
	`since` integer NOT NULL,
	`code` text NOT NULL
);
--> statement-breakpoint
ALTER TABLE `api_keys` ADD `code` text;