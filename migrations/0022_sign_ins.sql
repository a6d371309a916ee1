CREATE TABLE `sign_ins` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`issuer` text NOT NULL,
	`sealed` text NOT NULL,
	`updated_at` integer NOT NULL
);
