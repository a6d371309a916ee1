/** Before each file of tests: the objects of the file before are gone, and so are their rows. */
import { reset } from "cloudflare:test";
import { beforeAll } from "vitest";

beforeAll(() => reset());
