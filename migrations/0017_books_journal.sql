CREATE TABLE `books_journal` (
	`place` integer PRIMARY KEY NOT NULL,
	`number` integer NOT NULL,
	`entry` text NOT NULL
);
