/** The store contract holds on Durable Objects in workerd. */
import { env } from "cloudflare:workers";
import { beforeAll, describe } from "vitest";
import {
  createStubEngine,
  type DatabaseObject,
} from "../../src/store/engines/durable/stub-engine.ts";
import { openOverEngine } from "../../src/store/over-engine.ts";
import { lastingBackend } from "../contract/store/open.ts";
import { storeSuites } from "../contract/store/suites.ts";

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
let bare: DatabaseObject;
const engine = () => createStubEngine({ connect: () => bare, wait });

const backend = lastingBackend({
  name: "Durable Object",
  migrations: env.MIGRATIONS,
  histories: 3,
  connect: (options) => ({ db: openOverEngine(engine(), options), close: async () => {} }),
});

beforeAll(async () => {
  const object = env.BARE.getByName("store") as unknown as { engine(): Promise<DatabaseObject> };
  bare = await object.engine();
  // The first question loads what the engine imports, which may take longer than a question's deadline.
  await bare.read([]);
});

describe("a Durable Object in workerd", () => storeSuites(backend));
