DROP INDEX `sampling_requests_unsealed`;--> statement-breakpoint
DROP INDEX `sampling_requests_unsealed_number`;--> statement-breakpoint
DROP INDEX `sampling_requests_age`;--> statement-breakpoint
DROP INDEX `sampling_requests_leases`;--> statement-breakpoint
CREATE INDEX `sampling_requests_waiting` ON `sampling_requests` (`tenant_id`,`record_number`) WHERE "sampling_requests"."seal_number" is null and "sampling_requests"."outcome" <> 'admitted';