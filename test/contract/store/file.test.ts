import { describe } from "vitest";
import { fileBackend } from "../../setup/file-database.ts";
import { storeSuites } from "./suites.ts";

describe("libSQL in a file", () => storeSuites(fileBackend()));
