-- The rows lie in the order of the key, so that usage by the tenant reads one piece of the file, and a row is written without
-- an index of the key beside it. drizzle can't say `WITHOUT ROWID`, so this migration is written by hand.
CREATE TABLE `__new_delivered_usage` (
	`hour` integer NOT NULL,
	`tenant_id` text NOT NULL,
	`model` text NOT NULL,
	`succeeded` integer NOT NULL,
	`failed` integer NOT NULL,
	`refused` integer NOT NULL,
	`cancelled` integer NOT NULL,
	`unknown` integer NOT NULL,
	`input_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	`cost_micro_usd` integer NOT NULL,
	PRIMARY KEY(`hour`, `tenant_id`, `model`)
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_delivered_usage` (`hour`, `tenant_id`, `model`, `succeeded`, `failed`, `refused`, `cancelled`, `unknown`, `input_tokens`, `output_tokens`, `cost_micro_usd`) SELECT `hour`, `tenant_id`, `model`, `succeeded`, `failed`, `refused`, `cancelled`, `unknown`, `input_tokens`, `output_tokens`, `cost_micro_usd` FROM `delivered_usage`;--> statement-breakpoint
DROP TABLE `delivered_usage`;--> statement-breakpoint
ALTER TABLE `__new_delivered_usage` RENAME TO `delivered_usage`;--> statement-breakpoint
CREATE INDEX `delivered_usage_tenant` ON `delivered_usage` (`tenant_id`);
