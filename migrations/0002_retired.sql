DROP TABLE `answers`;--> statement-breakpoint
DROP TABLE `intercepted`;