-- By hand: entries that are there keep what they had, which is nearly every header of a client.
UPDATE `servers` SET `pass_headers` = '["*"]';
