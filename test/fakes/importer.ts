/** A process that takes a D1 file over, to be killed meanwhile. */
import { importD1 } from "../../src/start/import-d1.ts";

const [folder = "", path = ""] = process.argv.slice(2);
process.stdout.write("begun\n");
await importD1({ folder, path });
