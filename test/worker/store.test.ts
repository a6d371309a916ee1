import { env } from "cloudflare:workers";
import { beforeAll, describe } from "vitest";
import { createStubEngine, type DatabaseObject } from "../../src/store/durable/stub-engine.ts";
import { openOverEngine } from "../../src/store/over-engine.ts";
import { lastingBackend } from "../contract/store/open.ts";
import { storeSuites } from "../contract/store/suites.ts";

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const connect = () => env.BARE.getByName("store") as unknown as DatabaseObject;
const engine = () => createStubEngine({ connect, wait });

const object = lastingBackend({
  name: "Durable Object",
  migrations: env.MIGRATIONS,
  histories: 3,
  connect: (options) => ({ db: openOverEngine(engine(), options), close: async () => {} }),
});

// The first question loads the class and all that it imports, which may take longer than a question's deadline.
beforeAll(async () => void (await connect().read([])));

describe("a Durable Object in workerd", () => storeSuites(object));
